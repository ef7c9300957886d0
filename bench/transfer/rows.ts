/** Rows of the table: medians over the rounds, and the median of the ratios of each round. */

import { at } from '../results.ts'
import type { ClientName, Took } from './clients.ts'

export interface Round {
  readonly latchkey: Took
  readonly hf_xet: Took
}

/** Above 1 where latchkey takes less time than hf_xet. */
export function rowsOf(work: string, rounds: readonly Round[], megabytes: number): object[] {
  const ratios = sorted(rounds.map(({ latchkey, hf_xet }) => hf_xet.seconds / latchkey.seconds))
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
  const ratio = { ratio: at(ratios, 0.5), spread: `${at(ratios, 0)}–${at(ratios, 1)}` }
  return [{ ...row('latchkey'), ...ratio }, row('hf_xet')]
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other)
}
