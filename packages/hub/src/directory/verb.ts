/** One verb of the directory: the row from which its command, its route and its documentation are made. */

import type { Operation } from './operation.ts'

/** What an `admin` hub token can be limited to. `apply` reaches everything. */
export const verbGroups = [
  'account',
  'namespace',
  'repository',
  'ref',
  'hub-token',
  'keys',
  'explain',
  'apply',
] as const

export type VerbGroup = (typeof verbGroups)[number]

export interface Verb extends Operation {
  /** The words of the command: `account create`. */
  readonly words: string
  readonly group: VerbGroup
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/admin/v1`; `{repository}` stands for three segments, as in `models/acme/bert`. */
  readonly path: string
  /** The input members that the command takes as arguments, in order; the others are options. */
  readonly positional: readonly string[]
}
