/** The CPU time of many requests by kind of process, in user and system. */

import { type CpuTimes, cpuTimesOf } from '../machine.ts'

export interface Processes {
  /** Those that serve requests. */
  readonly serving: readonly number[]
  /** None where a server is one process. */
  readonly supervisors: readonly number[]
}

/** From now on. Given the requests since then, the result tells what each has cost. */
export function watchProcesses({ serving, supervisors }: Processes) {
  const [servedBefore, supervisedBefore] = [timesOfAll(serving), timesOfAll(supervisors)]
  return (requests: number) => {
    const [served, supervised] = [timesOfAll(serving), timesOfAll(supervisors)]
    return {
      'serving, user µs': (served.user - servedBefore.user) / requests,
      'serving, system µs': (served.system - servedBefore.system) / requests,
      'supervisor µs': (sumOf(supervised) - sumOf(supervisedBefore)) / requests,
    }
  }
}

function timesOfAll(pids: readonly number[]): CpuTimes {
  const times = pids.map(cpuTimesOf)
  return {
    user: times.reduce((sum, { user }) => sum + user, 0),
    system: times.reduce((sum, { system }) => sum + system, 0),
  }
}

function sumOf({ user, system }: CpuTimes): number {
  return user + system
}
