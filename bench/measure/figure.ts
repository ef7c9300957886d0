/** A figure of a benchmark: what was measured beside what, and whether that reaches its goal. */

import { quantile } from './statistics.ts'

export type Goal = { readonly atLeast: number } | { readonly atMost: number }

export interface Measured {
  readonly value: number
  /** The tenth and the ninetieth percentile of the rounds. */
  readonly low: number
  readonly high: number
  /** Those that counted, of all there were. */
  readonly rounds: number
  readonly of: number
  /** A ratio has none. */
  readonly unit?: string
  /** How to read the value, where that is not as usual. */
  readonly note?: string
}

export interface NotMeasured {
  readonly notMeasured: string
}

export interface Figure {
  readonly figure: string
  /** The server that the ratio is to; empty for a figure without one. */
  readonly anchor: string
  readonly result: Measured | NotMeasured
  readonly goal?: Goal
  /** What else the rounds showed, by name and unit. */
  readonly details?: Readonly<Record<string, number | undefined>>
  /** Of the plot of its part, where that has one. */
  readonly points?: readonly PlotPoint[]
}

export interface PlotPoint {
  readonly line: string
  readonly x: number
  readonly y: number
}

export type Verdict = 'pass' | 'short' | 'no goal' | 'not measured'

/** The median over the rounds, or the least one where noise can only add. */
export function measuredOf(
  values: readonly number[],
  { of = values.length, least = false, ...more }: Partial<Measured> & { least?: boolean } = {},
): Measured | NotMeasured {
  const sound = values.filter(Number.isFinite)
  const [value, low, high] = [least ? 0 : 0.5, 0.1, 0.9].map((share) => quantile(sound, share))
  if (value === undefined || low === undefined || high === undefined) {
    return { notMeasured: 'no round gave a figure' }
  }
  return { value, low, high, rounds: sound.length, of, ...more }
}

export function isMeasured(result: Figure['result']): result is Measured {
  return !('notMeasured' in result)
}

export function verdictOf({ result, goal }: Pick<Figure, 'result' | 'goal'>): Verdict {
  if (!isMeasured(result)) return 'not measured'
  if (goal === undefined) return 'no goal'
  const reached = 'atLeast' in goal ? result.value >= goal.atLeast : result.value <= goal.atMost
  return reached ? 'pass' : 'short'
}
