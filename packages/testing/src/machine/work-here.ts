/** The work of the threads, done in this process, where tests can watch it and break what it stands on. */

import type { OpenPool, PoolOptions, ThreadPool } from '../../src/threads/thread-pool.ts'
import type { WorkModule } from '../../src/threads/work.ts'

export const inProcess: OpenPool = <Task, Progress, Result>({
  module,
  data,
}: PoolOptions): ThreadPool<Task, Progress, Result> => {
  type Loaded = WorkModule<unknown, Task, Progress, Result>
  let opened: Promise<ReturnType<Loaded['openWork']>> | undefined
  const open = async () => {
    const { openWork }: Loaded = await import(module.href)
    return openWork(data)
  }
  return {
    async run(task, { signal = new AbortController().signal, onProgress = () => {} } = {}) {
      opened ??= open()
      const work = await opened
      return work(task, { signal, tell: onProgress, giveAway() {} })
    },
    async close() {},
  }
}
