/** The processes that are compared, all up at once. */

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpuMicrosOf } from '../machine.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { startProcess } from '../measure/start-process.ts'
import { median, quantile } from '../measure/statistics.ts'

/** Where a side listens, and what opens it. */
export interface Ready {
  readonly url: string
  readonly authorization: string
}

export interface Side extends Ready {
  readonly name: string
  readonly child: ChildProcess
}

export async function startSide(name: string, file: string, ...words: string[]): Promise<Side> {
  const { child, ready } = await startProcess<Ready>(new URL(file, import.meta.url), { words })
  return { name, child, ...ready }
}

/** Takes what it was sent off its disk. */
export async function empty({ child }: Side): Promise<void> {
  child.send('empty')
  await once(child, 'message')
}

export interface Round {
  readonly megabytesPerSecond: number
  readonly cpuMsPerMegabyte: number
}

/** How fast a side does a work of so many megabytes, and what of its core it uses for it. */
export async function measure(
  { child: { pid = 0 } }: Side,
  megabytes: number,
  work: () => Promise<void>,
): Promise<Round> {
  const cpu = cpuMicrosOf(pid)
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  return {
    megabytesPerSecond: megabytes / seconds,
    cpuMsPerMegabyte: (cpuMicrosOf(pid) - cpu) / 1000 / megabytes,
  }
}

/** The median of the ratios of each round, of speed; those of CPU time beside it. */
export function figureOf(
  figure: string,
  anchor: Side,
  [own, anchors]: readonly [readonly Round[], readonly Round[]],
): Figure {
  const ratios = (of: keyof Round) =>
    own.map((round, index) => round[of] / (anchors[index]?.[of] ?? 0)).filter(Number.isFinite)
  const costs = own.map(({ cpuMsPerMegabyte }) => cpuMsPerMegabyte)
  return {
    figure,
    anchor: anchor.name,
    result: measuredOf(ratios('megabytesPerSecond')),
    details: {
      'times its CPU': median(ratios('cpuMsPerMegabyte')),
      'CPU ms/MB': quantile(costs, 0),
      'MB/s': median(own.map(({ megabytesPerSecond }) => megabytesPerSecond)),
    },
  }
}
