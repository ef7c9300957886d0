/** Moments, with their unit in the type. */

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
