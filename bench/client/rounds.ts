/** Two works in turns, many short rounds of each, and how they compare. */

import { ownCpuMicros } from '../machine.ts'
import { type Figure, type Goal, measuredOf } from '../measure/figure.ts'

export interface Work {
  readonly name: string
  /** Does it once. */
  readonly act: () => Promise<unknown>
}

export interface Comparison {
  readonly rounds: number
  readonly perRound: number
  /** Of the time of the first. */
  readonly microsGoal?: Goal
}

/** The second is the anchor: what the first is measured against in every round. */
export async function compare(
  [measured, anchor]: readonly [Work, Work],
  { rounds, perRound, microsGoal }: Comparison,
): Promise<readonly Figure[]> {
  const times: number[] = []
  const anchorTimes: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    times.push(await micros(measured, perRound))
    anchorTimes.push(await micros(anchor, perRound))
  }
  const ratios = times.map((time, round) => time / (anchorTimes[round] ?? 0))
  // An absolute figure is the least one: other load can only add to it.
  const least = measuredOf(times, { unit: 'µs', least: true })
  return [
    { figure: measured.name, anchor: '', result: least, ...(microsGoal && { goal: microsGoal }) },
    { figure: measured.name, anchor: anchor.name, result: measuredOf(ratios) },
  ]
}

async function micros({ act }: Work, times: number): Promise<number> {
  const before = ownCpuMicros()
  for (let time = 0; time < times; time += 1) await act()
  return (ownCpuMicros() - before) / times
}
