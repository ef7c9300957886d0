/** What the machine tells about processes, and where they may run. */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const serverCore = 0
export const loadCore = 1

export function pin(pid: number, core: number): void {
  const { status } = spawnSync('taskset', ['-a', '-cp', String(core), String(pid)])
  if (status !== 0) console.warn(`taskset is missing: process ${pid} is not pinned to a core`)
}

export function cpuMicrosOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

export function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
