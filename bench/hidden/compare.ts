/** Times hidden and absent repositories in turns, and tells how often the hidden one took longer. */

import type { Figure } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'

/** Does the work for one name, which must not have been asked for before. */
export type Ask = (index: number) => Promise<void>

export interface Comparing {
  readonly rounds: number
  readonly repositories: number
}

/** By how far the name stands from the last one that is a repository. */
const kinds = { hidden: 0, absent: 1, control: 3 } as const

type Times = Record<keyof typeof kinds, number[]>

/** Each round asks for one of each kind, in an order of its own: noise falls on all alike. */
export async function compare(
  what: string,
  ask: Ask,
  { rounds, repositories }: Comparing,
): Promise<readonly Figure[]> {
  const times: Times = { hidden: [], absent: [], control: [] }
  const warmUp = Math.min(3000, Math.floor(rounds / 4))
  const order = shuffled(Array.from({ length: repositories }, (_, index) => index))
  for (let round = -warmUp; round < rounds; round += 1) {
    const near = order[(round + warmUp) % repositories] ?? 0
    for (const kind of shuffled(Object.keys(kinds) as (keyof Times)[])) {
      const started = process.hrtime.bigint()
      await ask(near * 4 + kinds[kind])
      const micros = Number(process.hrtime.bigint() - started) / 1000
      if (round >= 0) times[kind].push(micros)
    }
  }
  return [
    figureOf(`hidden slower than absent, ${what}`, times.hidden, times.absent),
    figureOf(`control slower than absent, ${what}`, times.control, times.absent),
  ]
}

/** The share of pairs in which the first took longer; the spread is what chance alone makes of one half. */
function figureOf(figure: string, first: readonly number[], second: readonly number[]): Figure {
  const rounds = first.length
  const longer = first.filter((time, round) => time > (second[round] ?? 0)).length
  const chance = 0.98 / Math.sqrt(rounds)
  return {
    figure,
    anchor: 'one half',
    result: {
      value: longer / rounds,
      ...{ low: 0.5 - chance, high: 0.5 + chance, rounds, of: rounds },
      note: 'the spread is what chance alone gives',
    },
    details: {
      µs: median(first),
      'absent µs': median(second),
      'apart µs': median(first.map((time, round) => time - (second[round] ?? 0))),
    },
  }
}

export function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
