/** Checks xorbs on threads of their own, so that requests go on meanwhile; who finds none free waits. */

import { Worker } from 'node:worker_threads'
import type { Flaw, Hash } from '@latchkey/xet/format'
import { hasCode } from '../objects/file-errors.ts'
import { DiskFull } from '../objects/object-store.ts'
import type { CheckedXorb, CheckTask, Failure, Outcome } from './check-task.ts'

export interface XorbChecker {
  /** The draft is an object afterwards, synced, with its chunk table; with a flaw it is as it was. */
  check(draftFile: string, expected: Hash): Promise<CheckedXorb | Flaw>
  /** What is not checked yet fails. */
  close(): Promise<void>
}

interface Job {
  readonly task: CheckTask
  readonly settle: PromiseWithResolvers<CheckedXorb | Flaw>
}

/**
 * Threads start when they are needed first. One takes about 60 MB in all, however large the xorb: it holds a window of
 * the file, one chunk both ways and the table; the rest is its own and what is not collected yet.
 */
export function xorbChecker({
  threads,
  worker = new URL('./check-worker.ts', import.meta.url),
}: {
  readonly threads: number
  /** Another one, for tests. */
  readonly worker?: URL
}): XorbChecker {
  const waiting: Job[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, Job>()
  let isClosed = false

  const give = () => {
    const isFull = idle.length === 0 && busy.size >= threads
    const job = isFull ? undefined : waiting.shift()
    if (job === undefined) return
    const thread = idle.pop() ?? start()
    busy.set(thread, job)
    // A check that runs keeps the process alive, a thread that waits does not.
    thread.ref()
    thread.postMessage(job.task)
  }
  const start = () => {
    // However the process was started, a thread starts like this.
    const thread = new Worker(worker, { execArgv: [] })
    thread.on('message', (outcome: Outcome) => {
      const job = busy.get(thread)
      busy.delete(thread)
      thread.unref()
      idle.push(thread)
      if (job !== undefined) settle(job, outcome)
      give()
    })
    thread.on('error', (error) => lose(thread, error))
    thread.on('exit', () => lose(thread, new Error('a thread that checks xorbs ended')))
    return thread
  }
  /** The next job gets a new one. */
  const lose = (thread: Worker, reason: unknown) => {
    busy.get(thread)?.settle.reject(reason)
    busy.delete(thread)
    const index = idle.indexOf(thread)
    if (index >= 0) idle.splice(index, 1)
    give()
  }
  return {
    check(file, expected) {
      if (isClosed) return Promise.reject(new Error('the checker of xorbs is closed'))
      const settle = Promise.withResolvers<CheckedXorb | Flaw>()
      waiting.push({ task: { file, expected }, settle })
      give()
      return settle.promise
    },
    async close() {
      isClosed = true
      for (const job of waiting.splice(0)) job.settle.reject(new Error('closed before the check'))
      await Promise.all([...idle, ...busy.keys()].map((thread) => thread.terminate()))
    },
  }
}

function settle({ settle }: Job, outcome: Outcome): void {
  if ('failed' in outcome) settle.reject(errorOf(outcome))
  else settle.resolve(outcome)
}

function errorOf({ failed, code }: Failure): Error {
  const error = Object.assign(new Error(failed), { code })
  if (!hasCode(error, 'ENOSPC', 'EDQUOT')) return error
  return new DiskFull('there is no room left on the disk for objects', { cause: error })
}
