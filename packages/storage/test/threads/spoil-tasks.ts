/** Threads on which some tasks go wrong. */

import { workHere } from '@latchkey/testing/machine/work-here'
import { bundledFile } from '../../../../scripts/bundle-command.ts'
import { type OpenPool, type PoolOptions, threadPool } from '../../src/threads/thread-pool.ts'

export interface Spoil {
  /** The end of the name of the module whose work it is. */
  readonly work: string
  /** What a task must say for it. */
  readonly where: Readonly<Record<string, unknown>>
  readonly how: 'stuck' | 'waiting' | 'dying'
}

/** What all tasks of such a pool have in common. */
export interface Spoiled {
  readonly module: string
  readonly data: unknown
  readonly spoil: readonly Spoil[]
}

export function spoilTasks(...all: readonly Spoil[]): OpenPool {
  return <Task, Progress, Result>({ module, data, ...options }: PoolOptions) => {
    const spoil = all.filter(({ work }) => module.pathname.endsWith(work))
    // To start threads takes longer than the tasks that nothing goes wrong with.
    if (spoil.length === 0) return workHere<Task, Progress, Result>({ module, data })
    const spoiled: Spoiled = { module: bundledFile(module).href, data, spoil }
    const own = new URL('./spoiled-work.ts', import.meta.url)
    return threadPool<Task, Progress, Result>({ ...options, module: own, data: spoiled })
  }
}
