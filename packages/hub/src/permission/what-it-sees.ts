/** Which other refs' content belongs to a revision, and up to which moment. */

import type { RefUid, UnixSeconds } from '@latchkey/protocol'
import { mostSeenRefs, type SeenRef } from '@latchkey/token'
import type { Ancestor, Holder, RefFacts } from './access-facts.ts'

/** A fork inherits up to the fork; a tag or commit, from the readable refs that hold it. */
export function whatItSees(
  { ancestry, holders }: RefFacts,
  mayRead: (holder: Holder) => boolean,
): readonly SeenRef[] {
  if (holders.length === 0) return ancestry.slice(0, mostSeenRefs)
  const seen = new Map<RefUid, UnixSeconds>()
  for (const holder of holders) {
    if (seen.size >= mostSeenRefs) break
    if (seen.has(holder.uid) || !mayRead(holder)) continue
    seen.set(holder.uid, holder.recordedAt)
    for (const ancestor of holder.ancestry) {
      if (seen.size >= mostSeenRefs || seen.has(ancestor.uid)) continue
      seen.set(ancestor.uid, inheritedUntil(ancestor, holders, mayRead))
    }
  }
  return Array.from(seen, ([uid, until]) => ({ uid, until }))
}

/** An origin that holds the commit itself counts with its own moment: a later fork opens nothing new. */
function inheritedUntil(
  { uid, until }: Ancestor,
  holders: readonly Holder[],
  mayRead: (holder: Holder) => boolean,
): UnixSeconds {
  const own = holders.find((holder) => holder.uid === uid)
  if (own === undefined) return until
  return mayRead(own) || own.recordedAt < until ? own.recordedAt : until
}
