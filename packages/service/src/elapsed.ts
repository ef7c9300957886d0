/** How much time has passed since a moment, whatever happened to one of the clocks. */

import type { Clock, UnixSeconds } from '@latchkey/protocol'
import type { Stopwatch } from './limiter.ts'

export interface Moment {
  readonly ms: number
  readonly at: UnixSeconds
}

export interface Elapsing {
  now(): Moment
  /** By the clock that went on further. A stopwatch stands still while the machine sleeps; a clock can be set back. */
  secondsSince(moment: Moment): number
}

export function elapsing(clock: Clock, stopwatch: Stopwatch): Elapsing {
  return {
    now: () => ({ ms: stopwatch(), at: clock() }),
    // The clock has whole seconds, so up to one of those that it counts has not passed.
    secondsSince: ({ ms, at }) => Math.max((stopwatch() - ms) / 1000, clock() - at - 1),
  }
}
