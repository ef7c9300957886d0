/** The processes that are compared, all up at once. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cpuMicrosOf, pin, serverCore } from '../machine.ts'
import { at } from '../results.ts'

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
  const child = fork(join(import.meta.dirname, file), words, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [ready] = (await once(child, 'message')) as [Ready]
  pin(child.pid ?? 0, serverCore)
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

/** One row of the table: medians of the ratios of each round, of speed and of CPU time. */
export function rowOf(own: readonly Round[], anchor: readonly Round[]): object {
  const ratiosOf = (figure: keyof Round) =>
    sorted(own.map((round, index) => round[figure] / (anchor[index]?.[figure] ?? Number.NaN)))
  const figuresOf = (figure: keyof Round) => sorted(own.map((round) => round[figure]))
  const speeds = ratiosOf('megabytesPerSecond')
  return {
    ratio: at(speeds, 0.5),
    spread: `${at(speeds, 0.1)}–${at(speeds, 0.9)}`,
    'MB/s': Math.round(Number(at(figuresOf('megabytesPerSecond'), 0.5))),
    'cpu, times': at(ratiosOf('cpuMsPerMegabyte'), 0.5),
    'cpu ms/MB, median': at(figuresOf('cpuMsPerMegabyte'), 0.5),
    'cpu ms/MB, least': at(figuresOf('cpuMsPerMegabyte'), 0),
    rounds: own.length,
  }
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other)
}
