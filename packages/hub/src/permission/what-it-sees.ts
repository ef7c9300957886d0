/** Which other refs' content belongs to a revision, and below which journal number. */

import type { JournalNumber, RefUid } from '@latchkey/protocol'
import { mostSeenRefs, type SeenRef } from '@latchkey/token'
import type { Ancestor, Holder, RefFacts } from './access-facts.ts'

/** A fork inherits up to the fork; a tag or commit, from the readable refs that hold it. */
export function whatItSees(
  { ancestry, holders }: RefFacts,
  mayRead: (holder: Holder) => boolean,
): readonly SeenRef[] {
  if (holders.length === 0) return ancestry.slice(0, mostSeenRefs)
  const seen = new Map<RefUid, JournalNumber>()
  for (const holder of holders) {
    if (seen.size >= mostSeenRefs) break
    if (seen.has(holder.uid) || !mayRead(holder)) continue
    seen.set(holder.uid, holder.recordedNumber)
    for (const ancestor of holder.ancestry) {
      if (seen.size >= mostSeenRefs || seen.has(ancestor.uid)) continue
      seen.set(ancestor.uid, inheritedBefore(ancestor, holders, mayRead))
    }
  }
  return Array.from(seen, ([uid, before]) => ({ uid, before }))
}

/** An origin that holds the commit itself counts with its own number: a later fork opens nothing new. */
function inheritedBefore(
  { uid, before }: Ancestor,
  holders: readonly Holder[],
  mayRead: (holder: Holder) => boolean,
): JournalNumber {
  const own = holders.find((holder) => holder.uid === uid)
  if (own === undefined) return before
  return mayRead(own) || own.recordedNumber < before ? own.recordedNumber : before
}
