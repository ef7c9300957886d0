/** Rows of the table: medians over the rounds, and the median of the ratios of each round. */

import { at } from '../results.ts'
import type { ClientName, Took } from './clients.ts'

export interface Round {
  readonly latchkey: Took
  readonly hf_xet: Took
}

/** Ratios are above 1 where latchkey takes less than hf_xet. */
export function rowsOf(work: string, rounds: readonly Round[], megabytes: number): object[] {
  const ratiosOf = (figure: (took: Took) => number) =>
    sorted(rounds.map(({ latchkey, hf_xet }) => figure(hf_xet) / figure(latchkey)))
  const ratios = ratiosOf(({ seconds }) => seconds)
  // Other load on the machine changes this one little.
  const cpuRatios = ratiosOf(({ cpuSeconds, storageCpuSeconds }) => cpuSeconds + storageCpuSeconds)
  const row = (client: ClientName) => {
    const middle = (figure: (took: Took) => number, digits = 2) =>
      at(sorted(rounds.map((round) => figure(round[client]))), 0.5, digits)
    return {
      work,
      client,
      seconds: middle(({ seconds }) => seconds),
      'MB/s': middle(({ seconds }) => megabytes / seconds, 0),
      'cpu s, client': middle(({ cpuSeconds }) => cpuSeconds),
      'cpu s, storage': middle(({ storageCpuSeconds }) => storageCpuSeconds),
      'peak MB': middle(({ peakMegabytes }) => peakMegabytes, 0),
      rounds: rounds.length,
    }
  }
  const ratio = {
    ratio: at(ratios, 0.5),
    spread: `${at(ratios, 0)}–${at(ratios, 1)}`,
    'ratio of cpu': at(cpuRatios, 0.5),
  }
  return [{ ...row('latchkey'), ...ratio }, row('hf_xet')]
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other)
}
