/** A thousand commits by the API in one repository, one after the other. */

import { type Figure, measuredOf } from '../measure/figure.ts'
import { median } from '../measure/statistics.ts'
import {
  commit,
  create,
  fileLine,
  peakMegabytesOf,
  type Side,
  type Spent,
  spentOn,
} from './side.ts'

export async function benchCommits(side: Side, count: number): Promise<readonly Figure[]> {
  const api = await create(side, 'commits')
  const spent: Spent[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const line = fileLine(`folder-${turn % 10}/file-${turn}.txt`, `the file of commit ${turn}`)
    spent.push(await spentOn(side, () => commit(side, api, [line])))
  }
  const tenth = Math.ceil(count / 10)
  const milliseconds = spent.map((one) => one.milliseconds)
  return [
    {
      figure: `a commit of one file, ${count} in one repository`,
      anchor: side.name,
      result: measuredOf(milliseconds, { unit: 'ms' }),
      details: {
        'first tenth ms': median(milliseconds.slice(0, tenth)),
        'last tenth ms': median(milliseconds.slice(-tenth)),
        'CPU ms': meanCpu(spent),
        'peak MB': peakMegabytesOf(side),
      },
    },
  ]
}

export function meanCpu(spent: readonly Spent[]): number | undefined {
  const known = spent.flatMap(({ cpuMilliseconds }) => cpuMilliseconds ?? [])
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length
}
