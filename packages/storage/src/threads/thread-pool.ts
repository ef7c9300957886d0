/** Work on threads of its own, so that requests go on meanwhile; a task that finds no thread free waits. */

import { type Job, openThread, type Thread } from './open-thread.ts'

export interface ThreadPool<Task, Progress, Result> {
  /** Rejects when the work throws, when its thread dies, when the pool closes, and with the reason of an abort. */
  run(task: Task, watching?: Watching<Progress>): Promise<Result>
  /** Tasks that are not done yet fail. */
  close(): Promise<void>
}

export interface Watching<Progress> {
  /** Aborted: a task that waits is dropped at once; one under way settles when its thread has given it up. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export interface PoolOptions {
  /** Exports `openWork`. */
  readonly module: URL
  /** Data that all tasks share; copied to each thread when it starts. */
  readonly data?: unknown
  /** They start when they are needed first; one that dies is replaced. */
  readonly threads: number
  /** How many tasks one thread has under way at once: work that yields takes turns with other work. */
  readonly tasksEach?: number
}

export type OpenPool = <Task, Progress, Result>(
  options: PoolOptions,
) => ThreadPool<Task, Progress, Result>

export const threadPool: OpenPool = <Task, Progress, Result>(
  options: PoolOptions,
): ThreadPool<Task, Progress, Result> => {
  const waiting = new Set<Job<Task, Progress, Result>>()
  const threads = threadsFor<Task, Progress, Result>(options, () => giveOut())
  let [count, isClosed] = [0, false]

  const giveOut = () => {
    for (const job of waiting) {
      const thread = threads.next()
      if (thread === undefined) return
      waiting.delete(job)
      thread.begin(job)
    }
  }
  return {
    async run(task, { signal, onProgress } = {}) {
      signal?.throwIfAborted()
      if (isClosed) throw closed()
      count += 1
      const settle = Promise.withResolvers<Result>()
      const job = { id: count, task, onProgress, settle }
      const giveUp = () => {
        if (waiting.delete(job)) settle.reject(signal?.reason)
        else for (const thread of threads.all) thread.abort(job)
      }
      signal?.addEventListener('abort', giveUp)
      waiting.add(job)
      giveOut()
      try {
        return await settle.promise
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        signal?.removeEventListener('abort', giveUp)
      }
    },
    async close() {
      isClosed = true
      for (const { settle } of waiting) settle.reject(closed())
      waiting.clear()
      await Promise.all(Array.from(threads.all, (thread) => thread.terminate()))
    },
  }
}

function closed(): Error {
  return new Error('the storage stops: its threads are closed')
}

/** The threads of a pool, and which of them takes the next task. */
function threadsFor<Task, Progress, Result>(
  { module, data, threads, tasksEach = 1 }: PoolOptions,
  onFree: () => void,
) {
  type Own = Thread<Task, Progress, Result>
  const all = new Set<Own>()
  const start = (): Own => {
    const onLost = () => {
      all.delete(thread)
      onFree()
    }
    const thread: Own = openThread({ module: module.href, data }, { onDone: onFree, onLost })
    all.add(thread)
    return thread
  }
  return {
    all: all as ReadonlySet<Own>,
    /** An idle thread, or else a new one, or else the one with the fewest tasks. */
    next(): Own | undefined {
      const [least] = Array.from(all).toSorted((one, other) => one.load - other.load)
      if (least?.load === 0) return least
      if (all.size < threads) return start()
      return least !== undefined && least.load < tasksEach ? least : undefined
    },
  }
}
