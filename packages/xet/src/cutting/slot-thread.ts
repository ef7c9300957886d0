/** Has slots cut by a thread; it starts with the first of them, and keeps no process alive. */

import { Worker } from 'node:worker_threads'
import { type CutSlot, type FilledSlot, slotMemory, slotsIn } from './cut-slots.ts'
import type { Cut, ToCut } from './cutting-thread.ts'

/** One that is used, two that are cut, and one that is filled. */
export const slotCount = 4

export interface SlotThread {
  readonly slots: readonly Buffer[]
  /** Answers come in the order of the calls. */
  cut(slot: number, filled: FilledSlot): Promise<CutSlot>
  /** What is not cut yet fails. */
  end(): void
}

export function slotThread(): SlotThread {
  const memory = slotMemory(slotCount)
  const waiting: PromiseWithResolvers<CutSlot>[] = []
  // However the process was started, a thread starts like this.
  const worker = new Worker(new URL('./cutting-thread.ts', import.meta.url), {
    execArgv: [],
    env: environmentIn(process.env),
    workerData: memory,
  })
  worker.unref()
  let failed: { readonly reason: unknown } | undefined
  const fail = (reason: unknown) => {
    failed ??= { reason }
    for (const { reject } of waiting.splice(0)) reject(reason)
  }
  worker.on('message', (done: Cut) => {
    waiting.shift()?.resolve(done)
    if (waiting.length === 0) worker.unref()
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the thread that cuts files ended')))
  return {
    slots: slotsIn(memory, slotCount),
    cut(slot, filled) {
      const settled = Promise.withResolvers<CutSlot>()
      // A failure is met where the slot is awaited.
      settled.promise.catch(() => {})
      if (failed !== undefined) settled.reject(failed.reason)
      else waiting.push(settled)
      // Work under way keeps the process alive, a thread that waits does not.
      if (failed === undefined) worker.ref()
      worker.postMessage({ slot, ...filled } satisfies ToCut)
      return settled.promise
    },
    end: () => void worker.terminate(),
  }
}

/** Modules that are compiled already load faster; nothing else in the environment is meant for the thread. */
function environmentIn({ NODE_COMPILE_CACHE }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}
