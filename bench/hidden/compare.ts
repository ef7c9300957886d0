/** Times hidden and absent repositories in turns, and tells how often the hidden one took longer. */

import { at } from '../results.ts'

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
): Promise<object> {
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
  return {
    what,
    'P(hidden slower)': slower(times.hidden, times.absent),
    'P(control slower)': slower(times.control, times.absent),
    'chance alone': `± ${(0.98 / Math.sqrt(rounds)).toFixed(3)}`,
    'hidden µs': median(times.hidden),
    'absent µs': median(times.absent),
    'control µs': median(times.control),
    'pairs apart µs': median(times.hidden.map((time, round) => time - (times.absent[round] ?? 0))),
    'control apart µs': median(
      times.control.map((time, round) => time - (times.absent[round] ?? 0)),
    ),
    rounds,
  }
}

/** The share of pairs in which the first took longer: 0.5 when nothing can be told. */
function slower(first: readonly number[], second: readonly number[]): string {
  const longer = first.filter((time, round) => time > (second[round] ?? 0)).length
  return (longer / first.length).toFixed(3)
}

function median(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  return at(sorted, 0.5)
}

export function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
