/** Numbers of a journal that are no moment of today. */

import type { JournalNumber, UnixSeconds } from '@latchkey/protocol'

/** Further ahead than bulk changes and a clock that is a little wrong can bring it. */
const farthestAheadMs = 24 * 3600 * 1000

/** A number that was once heard stays: one from a hub whose clock is far ahead would hide later content for years. */
export function isFuture(number: JournalNumber, now: UnixSeconds): boolean {
  return number > now * 1000 + farthestAheadMs
}
