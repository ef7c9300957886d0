/** How old what a hub knows may be when it signs a token by it. */

import { elapsedMs, type Moment } from '@latchkey/protocol'

export type Moments = () => Moment

export interface Staleness {
  readonly now: Moments
  readonly maxMs: number
}

/** By the clock that has gone further: a process that was stopped for long must not sign what it knew before. */
export function isFresh(learned: Moment, { now, maxMs }: Staleness): boolean {
  return elapsedMs(learned, now()) <= maxMs
}
