/** How much time has passed since a moment, whatever happened to one of the clocks. */

import type { Clock, Moment } from '@latchkey/protocol'
import type { Stopwatch } from '../limits/limiter.ts'

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

/** A failure shows as an uncaught error, after all of them were called. */
export function callEach(calls: Iterable<() => void>): void {
  for (const call of [...calls]) {
    try {
      call()
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
