/** The CPU time of a server by what its processes do. Hub and forge may be one process or two. */

import { readFileSync } from 'node:fs'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { timesOf } from '../machine.ts'

/** In milliseconds so far. */
export interface CpuByRole {
  readonly hub: number
  /** 0 where it runs in the process of the hub. */
  readonly forge: number
  /** All git processes, also those that have ended. */
  readonly git: number
  readonly storage: number
}

type Role = keyof CpuByRole

export function cpuByRole(pid: number): CpuByRole {
  const sums: Record<Role, number> = { hub: 0, forge: 0, git: 0, storage: 0 }
  const walk = (each: number, role: Role) => {
    const times = timesOrNone(each)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = times
    sums[role] += (user + system) / 1000
    // The hub and the forge start git alone; git starts others of its kind.
    sums[role === 'storage' ? 'storage' : 'git'] += (endedUser + endedSystem) / 1000
    for (const child of childrenOf(each)) walk(child, roleOf(child))
  }
  walk(pid, 'hub')
  return sums
}

export function between(before: CpuByRole, after: CpuByRole, count: number): CpuByRole {
  const of = (role: Role) => (after[role] - before[role]) / count
  return { hub: of('hub'), forge: of('forge'), git: of('git'), storage: of('storage') }
}

export function sumOf({ hub, forge, git, storage }: CpuByRole): number {
  return hub + forge + git + storage
}

function roleOf(pid: number): Role {
  const words = commandOf(pid)
  if (/(?:^|\/)git(?:-[a-z-]+)?$/.test(words[0] ?? '')) return 'git'
  return words.some((word) => /forge-child/.test(word)) ? 'forge' : 'storage'
}

/** It may have ended meanwhile. */
function commandOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

function timesOrNone(pid: number): readonly number[] {
  try {
    return timesOf(pid)
  } catch {
    return []
  }
}
