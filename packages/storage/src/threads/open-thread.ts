/** One thread of a pool, as the pool sees it. */

import { Worker } from 'node:worker_threads'
import { flagsFor } from '@latchkey/service/machine/runtime'
import {
  type FromThread,
  type Outcome,
  resultOf,
  type ThreadData,
  type ToThread,
} from './messages.ts'

const entry = new URL('./thread.ts', import.meta.url)

/** A task that a caller waits for. */
export interface Job<Task, Progress, Result> {
  readonly id: number
  readonly task: Task
  readonly onProgress: ((progress: Progress) => void) | undefined
  readonly settle: PromiseWithResolvers<Result>
}

export interface Thread<Task, Progress, Result> {
  /** How many of its jobs are not settled. */
  readonly load: number
  begin(job: Job<Task, Progress, Result>): void
  /** Does nothing when the job is not one of its own. */
  abort(job: Job<Task, Progress, Result>): void
  terminate(): Promise<unknown>
}

export interface ThreadEvents {
  onDone(): void
  /** Its jobs have failed, and it takes no more. */
  onLost(): void
}

export function openThread<Task, Progress, Result>(
  data: ThreadData,
  { onDone, onLost }: ThreadEvents,
): Thread<Task, Progress, Result> {
  const jobs = new Map<number, Job<Task, Progress, Result>>()
  // However the process was started, a thread starts like this.
  const worker = new Worker(entry, {
    execArgv: [...flagsFor(entry)],
    env: environmentIn(process.env),
    workerData: data,
  })
  const send = (message: ToThread) => worker.postMessage(message)
  const lose = (reason: unknown) => {
    for (const { settle } of jobs.values()) settle.reject(reason)
    jobs.clear()
    void worker.terminate()
    onLost()
  }
  worker.on('message', (message: FromThread) => {
    const job = jobs.get(message.id)
    if (job === undefined) return
    if ('progress' in message) return job.onProgress?.(message.progress as Progress)
    jobs.delete(message.id)
    if (jobs.size === 0) worker.unref()
    settleWith(job, message.outcome)
    onDone()
  })
  worker.on('error', lose)
  worker.on('messageerror', lose)
  worker.on('exit', () =>
    lose(new Error('a thread of the storage ended in the middle of its work')),
  )
  return {
    get load() {
      return jobs.size
    },
    begin(job) {
      send({ id: job.id, task: job.task })
      jobs.set(job.id, job)
      // A task under way keeps the process alive, a thread that waits does not.
      worker.ref()
    },
    abort({ id }) {
      if (jobs.has(id)) send({ id, isAborted: true })
    },
    terminate: () => worker.terminate(),
  }
}

function settleWith<Result>(
  { settle }: { readonly settle: PromiseWithResolvers<Result> },
  outcome: Outcome,
): void {
  try {
    settle.resolve(resultOf(outcome) as Result)
  } catch (error) {
    settle.reject(error)
  }
}

/** A thread that finds its modules compiled starts in half the time; nothing else in the environment is meant for it. */
function environmentIn({ NODE_COMPILE_CACHE }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}
