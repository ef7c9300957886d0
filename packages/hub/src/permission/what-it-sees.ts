/** Which other refs' content belongs to a revision, and up to which moment. */

import type { UnixSeconds } from '@latchkey/protocol'
import { mostSeenRefs, type SeenRef } from '@latchkey/token'
import type { Holder, RefFacts } from './access-facts.ts'

/** A fork inherits up to the fork; a tag or commit, from the readable refs that hold it. */
export function whatItSees(
  ref: RefFacts,
  mayRead: (holder: Holder) => boolean,
): readonly SeenRef[] {
  if (ref.ancestry.length === 0 && ref.holders.length === 0) return []
  const seen = new Map<string, UnixSeconds>()
  const see = ({ uid, until }: SeenRef) => {
    const known = seen.get(uid)
    if (known === undefined ? seen.size < mostSeenRefs : known < until) seen.set(uid, until)
  }
  ref.ancestry.forEach(see)
  for (const holder of ref.holders.filter(mayRead)) {
    see({ uid: holder.uid, until: holder.recordedAt })
    holder.ancestry.forEach(see)
  }
  return Array.from(seen, ([uid, until]) => ({ uid, until }))
}
