/** What the machine tells about processes, and where they may run. */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export const serverCore = 0
export const loadCore = 1

/** To a core, or to several: `0,1`. */
export function pin(pid: number, core: number | string): void {
  const { status } = spawnSync('taskset', ['-a', '-cp', String(core), String(pid)])
  if (status !== 0) console.warn(`taskset is missing: process ${pid} is not pinned to a core`)
}

export interface CpuTimes {
  readonly user: number
  readonly system: number
}

/** In microseconds; the system counts in hundredths of a second. */
export function cpuTimesOf(pid: number): CpuTimes {
  const [user = 0, system = 0] = timesOf(pid)
  return { user, system }
}

export function cpuMicrosOf(pid: number): number {
  const { user, system } = cpuTimesOf(pid)
  return user + system
}

/** For rounds that hundredths of a second are too coarse for. Of its threads now: none may have ended meanwhile. */
export function exactCpuMicrosOf(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000
}

/** With the children that have ended, as each git does. */
export function cpuMicrosWithChildren(pid: number): number {
  return timesOf(pid).reduce((sum, micros) => sum + micros, 0)
}

/** User and system, of the process and of its children that have ended, in microseconds. */
export function timesOf(pid: number): readonly number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).map((ticks) => Number(ticks) * 10_000)
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
