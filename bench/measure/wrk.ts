/** Load by wrk, whose threads cost far less than a program in JavaScript. */

import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { loadCore } from '../machine.ts'
import type { LoadResult } from './load.ts'

export const wrkProgram = findProgram('wrk')
export const hasWrk = wrkProgram !== undefined

export interface WrkOrder {
  readonly url: string
  readonly headers: readonly string[]
  readonly connections: number
  readonly seconds: number
}

export async function wrk({ url, headers, connections, seconds }: WrkOrder): Promise<LoadResult> {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s']
  const words = [...options, ...headers.flatMap((header) => ['-H', header]), url]
  const pinned = spawnSync('taskset', ['-V']).status === 0 ? ['taskset', '-c', `${loadCore}`] : []
  const [program = 'wrk', ...rest] = [...pinned, wrkProgram ?? 'wrk', ...words]
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  return readWrk(await text(child.stdout))
}

/** Text that wrk never writes has no requests in it, and a round without requests is an error. */
export function readWrk(said: string): LoadResult {
  const count = (pattern: RegExp) => Number(pattern.exec(said)?.[1] ?? 0)
  const broken = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(said)
  const sockets = broken?.slice(1).reduce((sum, each) => sum + Number(each), 0) ?? 0
  return {
    requests: count(/(\d+) requests in/),
    failed: count(/Non-2xx or 3xx responses: (\d+)/) + sockets,
  }
}
