/** The clock of the system, time that only goes forward, and how much of it has passed. */

import { type Clock, type Moment, unixSeconds } from '@latchkey/protocol'

/** For entry points; everything else is given the time. */
export const systemClock: Clock = () => unixSeconds(Math.floor(Date.now() / 1000))

/** Milliseconds that only ever go forward. */
export type Stopwatch = () => number

/** By both clocks: whatever happens to one of them. */
export type Now = () => Moment

export function nowBy(clock: Clock, stopwatch: Stopwatch): Now {
  return () => ({ steadyMs: stopwatch(), wallMs: clock() * 1000 })
}

/** The moment when so many seconds have passed, by one of the two. */
export function momentAfter({ steadyMs, wallMs }: Moment, seconds: number): Moment {
  return { steadyMs: steadyMs + seconds * 1000, wallMs: wallMs + (seconds + 1) * 1000 }
}

export function isPast(moment: Moment, now: Moment): boolean {
  return now.steadyMs >= moment.steadyMs || now.wallMs >= moment.wallMs
}

/** By the one of the two that went on further. A clock of whole seconds counts up to one that has not passed. */
export function secondsBetween(from: Moment, to: Moment): number {
  return Math.max((to.steadyMs - from.steadyMs) / 1000, (to.wallMs - from.wallMs) / 1000 - 1)
}

/** Time as supervision needs it; tests move it by hand. */
export interface Timers {
  readonly stopwatch: Stopwatch
  /** Acts once after so long; gives the function that calls it off. */
  after(ms: number, act: () => void): () => void
}

/** These timers do not keep the process running. */
export const systemTimers: Timers = {
  stopwatch: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms).unref()
    return () => clearTimeout(timer)
  },
}
