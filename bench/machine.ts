/** What the machine tells about processes, and where they may run. */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const serverCore = 0
export const loadCore = 1

/** To a core, or to several: `0,1`. */
export function pin(pid: number, core: number | string): void {
  const { status } = spawnSync('taskset', ['-a', '-cp', String(core), String(pid)])
  if (status !== 0) console.warn(`taskset is missing: process ${pid} is not pinned to a core`)
}

export function cpuMicrosOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** With the children that have ended, as each git does. */
export function cpuMicrosWithChildren(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10_000, 0)
}

/** The most that was resident so far, in megabytes. */
export function peakMemoryOf(pid: number): number {
  return megabytes(pid, 'VmHWM')
}

/** Of this process so far: what others do on the machine changes it little. */
export function ownCpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** All that is resident, in megabytes. */
export function memoryOf(pid: number): number {
  return megabytes(pid, 'VmRSS')
}

/** What is resident of its own: files that are mapped belong to the page cache. */
export function ownMemoryOf(pid: number): number {
  return megabytes(pid, 'RssAnon')
}

function megabytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]
  if (kilobytes === undefined) throw new Error(`the system does not tell ${field} of ${pid}`)
  return Math.round(Number(kilobytes) / 102.4) / 10
}
