/** One verb of the directory: the row from which its command, its route and its documentation are made. */

import type { VerbGroup } from '../input/verb-groups.ts'
import type { Says } from '../nouns/says.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface VerbRow<Words extends string> extends Says {
  /** The words of the command: `account create`. */
  readonly words: Words
  readonly group: VerbGroup
  readonly method: Method
  /** Below `/admin/v1`; `{repository}` stands for three segments, as in `models/acme/bert`. */
  readonly path: string
  /** The input members that the command takes as arguments, in order; the others are options. */
  readonly positional: readonly string[]
}
