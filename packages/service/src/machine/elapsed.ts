/** How much time has passed since a moment, whatever happened to one of the clocks. */

import type { Clock, UnixSeconds } from '@latchkey/protocol'
import type { Stopwatch } from '../limits/limiter.ts'

/** By a stopwatch, which stands still while the machine sleeps, and by a clock, which can be set back. */
export interface Moment {
  readonly ms: number
  readonly at: UnixSeconds
}

export type Now = () => Moment

export function nowBy(clock: Clock, stopwatch: Stopwatch): Now {
  return () => ({ ms: stopwatch(), at: clock() })
}

/** The moment when so many seconds have passed, by one of the two. */
export function momentAfter({ ms, at }: Moment, seconds: number): Moment {
  return { ms: ms + seconds * 1000, at: (at + seconds + 1) as UnixSeconds }
}

export function isPast(moment: Moment, now: Moment): boolean {
  return now.ms >= moment.ms || now.at >= moment.at
}

/** By the one of the two that went on further. A clock of whole seconds counts up to one that has not passed. */
export function secondsBetween(from: Moment, to: Moment): number {
  return Math.max((to.ms - from.ms) / 1000, to.at - from.at - 1)
}
