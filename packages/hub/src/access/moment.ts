/** A point in time by two clocks: nobody sets the one, and the other runs on while a machine is suspended. */

export interface Moment {
  readonly steadyMs: number
  readonly wallMs: number
}

export type Moments = () => Moment

/** How old what a hub knows may be when it signs a token by it. */
export interface Staleness {
  readonly now: Moments
  readonly mostMs: number
}

/** By the clock that has gone further: a process that was stopped for long must not sign what it knew before. */
export function isFresh(learned: Moment, { now, mostMs }: Staleness): boolean {
  const { steadyMs, wallMs } = now()
  return Math.max(steadyMs - learned.steadyMs, wallMs - learned.wallMs) <= mostMs
}
