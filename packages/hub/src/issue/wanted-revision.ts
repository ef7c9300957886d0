import type { TokenWord } from '@latchkey/protocol'
import type { WantedRevision } from '../permission/access-facts.ts'

export interface RevisionRequest {
  readonly revision: WantedRevision
  /** Undefined where the request names no token route. */
  readonly word?: TokenWord | undefined
}

/**
 * Hugging Face's Python client writes `None` where it means the default branch. On its own route it also repeats the
 * `HEAD` of its caller. No ref can have either name.
 */
export function wantedRevision(
  { revision, word }: RevisionRequest,
  compatible: boolean,
): WantedRevision {
  if (!compatible || revision.kind !== 'impossible') return revision
  const isDefault = revision.text === 'None' || (word === 'xet' && revision.text === 'HEAD')
  return isDefault ? { kind: 'default' } : revision
}

/** On the routes of a forge `HEAD` is the default branch. */
export function forgeRevision(revision: WantedRevision | undefined): WantedRevision {
  const isHead = revision?.kind === 'impossible' && revision.text === 'HEAD'
  return revision === undefined || isHead ? { kind: 'default' } : revision
}
