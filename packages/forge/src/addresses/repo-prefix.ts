/** The start of an address outside `/api`: `/acme/bert`, `/datasets/acme/pets`, `/spaces/acme/demo`. */

import { decodeOnce, type RepoType } from '@latchkey/protocol'
import { isTakenNamespace } from '../words/taken-namespaces.ts'
import { typeOf } from './named-repo.ts'
import { segmentsOf } from './segments.ts'

export interface RepoPrefix {
  readonly type: RepoType
  /** Raw segments, from the namespace on. */
  readonly words: readonly string[]
}

/** Undefined where a route of the hub begins, or nothing follows. */
export function readRepoPrefix(target: string): RepoPrefix | undefined {
  const [first, ...rest] = segmentsOf(target) ?? []
  if (first === undefined) return undefined
  const type = typeOf(first)
  // Models have no word of their own in front.
  if (type === 'dataset' || type === 'space') {
    return rest.length === 0 ? undefined : { type, words: rest }
  }
  const namespace = decodeOnce(first)
  if (namespace === undefined || isTakenNamespace(namespace)) return undefined
  return { type: 'model', words: [first, ...rest] }
}
