/** Hubs of one worker or two, and two hubs that share nothing but the directory, on connections that stay open. */

import { setTimeout as delay } from 'node:timers/promises'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { exactCpuMicrosOf, pin } from '../machine.ts'
import type { Processes } from '../measure/by-process.ts'
import { getRequest, type Load, type OpenLoad, openLoad, sumOf } from '../measure/load.ts'
import type { Round } from '../measure/rounds.ts'
import { visit } from '../measure/visit.ts'
import { type CommandData, startCommandHub } from './command-hub.ts'
import { connections, leastPerSecond } from './sides.ts'

export interface WorkerSide extends Processes, Pick<OpenLoad, 'run'> {
  readonly name: string
}

export async function startWorkers(
  data: CommandData,
  count: number,
  cores: string,
): Promise<WorkerSide> {
  const { pid, port } = await startCommandHub(data.data, '--workers', String(count))
  const workers = childrenOf(pid)
  for (const each of [pid, ...workers]) pin(each, cores)
  const { run } = await openLoad(loadOf(data, port), connections)
  const processes =
    count === 1 ? { serving: [pid], supervisors: [] } : { serving: workers, supervisors: [pid] }
  return { name: count === 1 ? '1 worker' : `${count} workers`, run, ...processes }
}

/** The control: as many processes as two workers, each with half of their connections, and no supervisor. */
export async function startApart(data: CommandData, cores: string): Promise<WorkerSide> {
  const hubs = [await startCommandHub(data.data), await startCommandHub(data.data)]
  for (const { pid } of hubs) pin(pid, cores)
  const loads = await Promise.all(
    hubs.map(({ port }) => openLoad(loadOf(data, port), connections / hubs.length)),
  )
  const run: OpenLoad['run'] = async (milliseconds) =>
    sumOf(await Promise.all(loads.map((load) => load.run(milliseconds))))
  return {
    name: '2 hubs without a supervisor',
    run,
    serving: hubs.map(({ pid }) => pid),
    supervisors: [],
  }
}

/** A log line waits for up to 100 ms, and a supervisor has it after that. */
const lastLinesMs = 150

/** Counts the CPU time until the last log line is out. */
export async function visitWorkers(side: WorkerSide, milliseconds: number): Promise<Round> {
  const { name, serving, supervisors } = side
  const pids = [...supervisors, ...serving]
  const used = () => pids.reduce((sum, pid) => sum + exactCpuMicrosOf(pid), 0)
  const leastRequests = Math.ceil((leastPerSecond * milliseconds) / 1000)
  const before = used()
  const round = await visit({ name, pids }, leastRequests, () => side.run(milliseconds))
  await delay(lastLinesMs)
  return { ...round, cpuMicros: (used() - before) / round.requests }
}

function loadOf({ authorization, paths }: CommandData, port: number): Load {
  const headers = ['Host: 127.0.0.1', `Authorization: ${authorization}`]
  let asked = 0
  const request = () => {
    asked = (asked + 1) % paths.length
    return getRequest(paths[asked] ?? '/', headers)
  }
  return { port, request }
}
