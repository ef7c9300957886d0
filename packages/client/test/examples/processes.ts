/** What the system tells about a process and all that it has started: their arguments and environments. */

import { readdirSync, readFileSync } from 'node:fs'

export function processesOf(pid: number | undefined): string {
  const children = Map.groupBy(running(), (id) => parentOf(id))
  const shown = (id: number): string => {
    const own = ['cmdline', 'environ'].map((what) => readProcess(id, what).replaceAll('\0', '\n'))
    return [...own, ...(children.get(id) ?? []).map(shown)].join('\n')
  }
  return pid === undefined ? '' : shown(pid)
}

function running(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

/** The name in between may hold anything, also brackets. */
function parentOf(id: number): number {
  const [, parent] = readProcess(id, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return Number(parent)
}

function readProcess(id: number, what: string): string {
  try {
    return readFileSync(`/proc/${id}/${what}`, 'utf8')
  } catch {
    // Gone between the listing and the look.
    return ''
  }
}
