/** The processes that a process has started, as the system shows them. */

import { existsSync, readFileSync } from 'node:fs'

/** Elsewhere no process has children as far as these functions can tell. */
export const hasProc: boolean = existsSync('/proc/self/task')

export function childrenOf(pid: number | undefined): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return list.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** A process that has ended is gone, also before its parent has taken notice. */
export function isGone(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}
