/** Two works in turns, many short rounds of each, and how they compare. */

import { at } from '../results.ts'

export interface Work {
  readonly name: string
  /** Does it once. */
  readonly act: () => Promise<unknown>
}

/** The second is the anchor: what the first is measured against in every round. */
export async function compare(
  [measured, anchor]: readonly [Work, Work],
  { rounds, perRound }: { readonly rounds: number; readonly perRound: number },
): Promise<object[]> {
  const times: number[] = []
  const anchorTimes: number[] = []
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const [time, anchorTime] = [await micros(measured, perRound), await micros(anchor, perRound)]
    times.push(time)
    anchorTimes.push(anchorTime)
    ratios.push(time / anchorTime)
  }
  return [
    { ...row(measured.name, times), [`times ${anchor.name}`]: at(sorted(ratios), 0.5) },
    row(anchor.name, anchorTimes),
  ]
}

async function micros({ act }: Work, times: number): Promise<number> {
  const started = performance.now()
  for (let time = 0; time < times; time += 1) await act()
  return ((performance.now() - started) * 1000) / times
}

function row(work: string, micros: readonly number[]): object {
  const ordered = sorted(micros)
  return { work, 'µs, median': at(ordered, 0.5), 'µs, least': at(ordered, 0) }
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other)
}
