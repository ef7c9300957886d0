/** Which other refs' content belongs to a revision, and up to which moment. */

import type { UnixSeconds } from '@latchkey/protocol'
import { mostSeenRefs, type SeenRef } from '@latchkey/token'
import type { Holder, RefFacts } from './access-facts.ts'

/** A fork inherits up to the fork; a tag or commit, from the readable refs that hold it. */
export function whatItSees(
  { ancestry, holders }: RefFacts,
  mayRead: (holder: Holder) => boolean,
): readonly SeenRef[] {
  if (holders.length === 0) return ancestry.slice(0, mostSeenRefs)
  const recordedAt = new Map(holders.map(({ uid, recordedAt: moment }) => [uid, moment]))
  const seen = new Map<string, UnixSeconds>()
  const see = (uid: string, until: UnixSeconds) => {
    if (seen.has(uid) || seen.size < mostSeenRefs) seen.set(uid, until)
  }
  for (const holder of holders.filter(mayRead)) {
    see(holder.uid, holder.recordedAt)
    for (const { uid, until } of holder.ancestry) {
      // The first word counts: a later fork must not open what its origin got after an old commit.
      if (!seen.has(uid)) see(uid, earlier(until, recordedAt.get(uid)))
    }
  }
  return Array.from(seen, ([uid, until]) => ({ uid, until }))
}

function earlier(one: UnixSeconds, other: UnixSeconds | undefined): UnixSeconds {
  return other !== undefined && other < one ? other : one
}
