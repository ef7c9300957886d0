/** The processes that a process has started, as the system shows them. */

import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

export const hasProc = existsSync('/proc/self/task')
if (!hasProc)
  console.warn('SKIPPED: there is no /proc, so the process of the storage is not looked at')

export function childrenOf(pid: number | undefined): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
}

/** The one child that there is. */
export function childOf(pid: number | undefined): number {
  const [child, ...more] = childrenOf(pid)
  expect(more).toEqual([])
  return child ?? 0
}

/** A process that ended and was not waited for yet is gone, too. */
export function isGone(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}
