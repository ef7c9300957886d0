/** Medians over the rounds of one direction, and the median of the ratios of each round. */

import { type Figure, measuredOf } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'
import type { Took } from './clients.ts'

export interface Round {
  readonly latchkey: Took
  readonly hf_xet: Took
}

/** The ratio is above 1 where latchkey takes less than hf_xet. */
export function figureOf(figure: string, rounds: readonly Round[]): Figure {
  const ratiosOf = (of: (took: Took) => number) =>
    rounds.map(({ latchkey, hf_xet }) => of(hf_xet) / of(latchkey)).filter(Number.isFinite)
  const own = (of: (took: Took) => number) => median(rounds.map(({ latchkey }) => of(latchkey)))
  const allCpu = ({ cpuSeconds, storageCpuSeconds }: Took) => cpuSeconds + storageCpuSeconds
  return {
    figure,
    anchor: 'hf_xet',
    result: measuredOf(ratiosOf(({ seconds }) => seconds)),
    details: {
      // Other load on the machine changes this one little.
      'ratio of CPU': median(ratiosOf(allCpu)),
      seconds: own(({ seconds }) => seconds),
      'CPU s': own(({ cpuSeconds }) => cpuSeconds),
      'storage CPU s': own(({ storageCpuSeconds }) => storageCpuSeconds),
      'peak MB': own(({ peakMegabytes }) => peakMegabytes),
    },
  }
}
