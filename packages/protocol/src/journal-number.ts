/** Logical time: a moment of the hub's directory, as the number of an entry in its journal. */

import type { UnixSeconds } from './time.ts'

/** Rises with every entry, and is never less than the Unix milliseconds at which the entry was made. */
export type JournalNumber = number & { readonly unit: 'journal-number' }

/** Before every entry. */
export const noJournalNumber = 0 as JournalNumber

export function isJournalNumber(value: unknown): value is JournalNumber {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function journalNumber(value: number): JournalNumber {
  if (!isJournalNumber(value)) throw new RangeError(`not a number of the journal: ${value}`)
  return value
}

/** Further ahead than bulk changes and a clock that is a little wrong can bring it. */
const farthestAheadMs = 24 * 3600 * 1000

/** A follower keeps the highest number it was told: one from a hub whose clock is far ahead would hide later news for years. */
export function isFuture(number: JournalNumber, now: UnixSeconds): boolean {
  return number > now * 1000 + farthestAheadMs
}
