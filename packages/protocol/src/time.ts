export type UnixSeconds = number & { readonly unit: 'unix-seconds' }

/** Where "now" comes from; only an entry point reads the system's. */
export type Clock = () => UnixSeconds

export function unixSeconds(seconds: number): UnixSeconds {
  if (!Number.isSafeInteger(seconds)) throw new RangeError(`not a whole second: ${seconds}`)
  return seconds as UnixSeconds
}

export function formatTime(moment: UnixSeconds): string {
  return new Date(moment * 1000).toISOString().replace('.000Z', 'Z')
}

/** A point in time by two clocks: one is never set but may stand still while the machine sleeps, the other runs on. */
export interface Moment {
  readonly steadyMs: number
  readonly wallMs: number
}

/** By the clock that has gone further. */
export function elapsedMs(since: Moment, now: Moment): number {
  return Math.max(now.steadyMs - since.steadyMs, now.wallMs - since.wallMs)
}

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
export function isFuture(number: number, now: number): boolean {
  return number > now * 1000 + farthestAheadMs
}

export interface RevocationBounds {
  /** While the hub answers. */
  readonly normalSeconds: number
  /** While it does not. */
  readonly withheldSeconds: number
}

/** A signed revocation head is valid for so long. */
export const maxHeadSeconds = 60

/** How often a gate asks. */
export const defaultPollSeconds = 5
/** A question of a gate is given up after so long. */
export const pollPatienceSeconds = 4

export function boundsOf(
  pollSeconds = defaultPollSeconds,
  patienceSeconds = pollPatienceSeconds,
): RevocationBounds {
  return { normalSeconds: pollSeconds + patienceSeconds, withheldSeconds: maxHeadSeconds }
}
