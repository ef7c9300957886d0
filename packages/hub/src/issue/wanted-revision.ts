/** Which revision a request asks for, with the habits of compatible clients taken into account. */

import type { WantedRevision } from '../permission/access-facts.ts'

/** Hugging Face's Python client writes `None` where it means the default branch. */
export function wantedRevision(
  { revision }: { readonly revision: WantedRevision },
  compatible: boolean,
): WantedRevision {
  const none = revision.kind === 'impossible' && revision.text === 'None'
  return compatible && none ? { kind: 'default' } : revision
}

/** On the routes of a forge `HEAD` is the default branch. No ref can be called so, and a token request does not take it. */
export function forgeRevision(revision: WantedRevision | undefined): WantedRevision {
  const isHead = revision?.kind === 'impossible' && revision.text === 'HEAD'
  return revision === undefined || isHead ? { kind: 'default' } : revision
}
