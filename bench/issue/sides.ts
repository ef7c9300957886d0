/** The servers that issuing is compared on: hubs, and the one that does nothing but sign. */

import type { ChildProcess } from 'node:child_process'
import { loadCore, pin, serverCore } from '../machine.ts'
import { getRequest, type Load, load } from '../measure/load.ts'
import type { Round } from '../measure/rounds.ts'
import { startProcess } from '../measure/start-process.ts'
import { type Visited, visit } from '../measure/visit.ts'
import { startCommandHub } from './command-hub.ts'
import { type BenchDirectory, hotKeys, pathsOf } from './directory.ts'

export interface Side extends Load, Visited {
  /** So many at least before it is measured: it remembers them. */
  readonly warmUpRequests?: number
}

export interface HubSide extends Side {
  readonly child: ChildProcess
  readonly directory: BenchDirectory
  readonly keys: Keys
}

/** Which repositories are asked for: few of them again and again, or all. */
export type Keys = 'hot' | 'uniform'

/** At every server alike. So many that what waits for a database goes there together, and fills a batch. */
export const connections = 128
/** Until the code is compiled and what a server remembers has been asked for; not for ever beside other load. */
const warmUp = { minRounds: 4, maxRounds: 60 }
/** Beside other load, a server may get little of its core: such a round is rejected, and is no failure. */
export const minPerSecond = 50

const hubProgram = new URL('hub-process.ts', import.meta.url)

export async function startHubSide(
  directory: BenchDirectory,
  keys: Keys,
  program = hubProgram,
): Promise<HubSide> {
  const { database, repositories, roles, authorization, databaseMicros } = directory
  const asked = keys === 'hot' ? Math.min(hotKeys, repositories) : repositories
  const by = roles === 'teams' ? ', by teams' : ''
  const name = `${database}, ${keys === 'hot' ? `${asked} hot of` : 'uniform over'} ${repositories}${by}`
  const order = directory.order()
  const { child, pid, ready: port } = await startProcess<number>(program, { order })
  const request = requesting(pathsOf(repositories, asked), authorization)
  const visited = { name, pids: [pid], ...(databaseMicros && { databaseMicros }) }
  // A hub remembers what it is asked for a second time.
  const warmUpRequests = 2.25 * Math.min(hotKeys, asked)
  return { ...visited, child, port, request, warmUpRequests, directory, keys }
}

/** A hub on SQLite as an operator starts it; sources that Node strips of types take memory of their own. */
export async function startCommandSide(directory: BenchDirectory): Promise<Side> {
  const { pid, port } = await startCommandHub(directory.order().data)
  pin(pid, serverCore)
  return { name: 'latchkey serve', pids: [pid], port, request: hotRequest(directory) }
}

/** The anchor is asked the same requests as a hub, so that reading them costs both the same. */
export async function startBareSide(directory: BenchDirectory): Promise<Side> {
  const file = new URL('bare-es.ts', import.meta.url)
  const { pid, ready: port } = await startProcess<number>(file)
  return { name: 'bare-es', pids: [pid], port, request: hotRequest(directory) }
}

export async function warmUpAll(sides: readonly Side[], roundMs: number): Promise<void> {
  pin(process.pid, loadCore)
  for (const side of sides) {
    const { warmUpRequests = 0 } = side
    let asked = 0
    for (let round = 0; round < warmUp.maxRounds; round += 1) {
      if (round >= warmUp.minRounds && asked >= warmUpRequests) break
      asked += (await load(side, connections, roundMs)).requests
    }
  }
}

export function visitSide(side: Side, milliseconds: number): Promise<Round> {
  const minRequests = Math.ceil((minPerSecond * milliseconds) / 1000)
  return visit(side, minRequests, () => load(side, connections, milliseconds))
}

function hotRequest({ repositories, authorization }: BenchDirectory): () => string {
  return requesting(pathsOf(repositories, Math.min(hotKeys, repositories)), authorization)
}

function requesting(nextPath: () => string, authorization: string): () => string {
  const headers = ['Host: 127.0.0.1', `Authorization: ${authorization}`]
  return () => getRequest(nextPath(), headers)
}
