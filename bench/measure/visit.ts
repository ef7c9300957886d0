/** One round at one server: the load, and what its processes used for it. */

import { cpuMicrosOf } from '../machine.ts'
import type { LoadResult } from './load.ts'
import type { Round } from './rounds.ts'

export interface Visited {
  readonly name: string
  readonly pids: readonly number[]
  /** Of a database that works for it, so far. */
  readonly databaseMicros?: () => number
}

/** A dead server has no errors either: it must have answered so many requests. */
export async function visit(
  { name, pids, databaseMicros }: Visited,
  minRequests: number,
  loading: () => Promise<LoadResult>,
): Promise<Round> {
  const used = () => pids.reduce((sum, pid) => sum + cpuMicrosOf(pid), 0)
  const [cpuBefore, databaseBefore] = [used(), databaseMicros?.()]
  const started = performance.now()
  const { requests, failed } = await loading()
  const seconds = (performance.now() - started) / 1000
  const cpu = used() - cpuBefore
  if (failed > 0 || requests < minRequests) {
    throw new Error(`${name}: ${requests} requests, ${failed} failed`)
  }
  return {
    requests,
    perSecond: requests / seconds,
    cpuMicros: cpu / requests,
    // Of a server whose process is not known, nobody can tell.
    busy: pids.length === 0 ? 1 : cpu / 1e6 / seconds,
    ...(databaseMicros !== undefined && {
      databaseMicros: (databaseMicros() - (databaseBefore ?? 0)) / requests,
    }),
  }
}
