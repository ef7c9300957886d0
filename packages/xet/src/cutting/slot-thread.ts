/** Has slots cut by a thread, which keeps no process alive; until it has started, they are cut here. */

import { Worker } from 'node:worker_threads'
import { type Deferred, deferred } from '../waiting/deferred.ts'
import { type CutSlot, type FileSlot, slotCutter, slotMemory, slotsIn } from './cut-slots.ts'
import type { FromThread, ToCut } from './cutting-thread.ts'

/** One that is used, two that are cut, and one that is filled. */
export const slotCount = 4

const nothing = new Uint8Array(0)

/** A source finds sources, and a compiled file what was compiled with it. */
const flagsOfThread = import.meta.url.endsWith('.ts') ? ['--conditions=@latchkey/source'] : []

export interface SlotThread {
  readonly slots: readonly Uint8Array[]
  /** Answers come in the order of the calls. */
  cut(slot: number, filled: FileSlot): Promise<CutSlot>
  /** What is not cut yet fails. */
  end(): void
}

export function slotThread(): SlotThread {
  const memory = slotMemory(slotCount)
  const here = slotCutter(memory)
  const waiting: Deferred<CutSlot>[] = []
  // However the process was started, a thread starts like this.
  const worker = new Worker(new URL('./cutting-thread.ts', import.meta.url), {
    execArgv: [...flagsOfThread],
    env: environmentIn(process.env),
    workerData: memory,
  })
  worker.unref()
  let isStarted = false
  let failed: { readonly reason: unknown } | undefined
  const fail = (reason: unknown) => {
    failed ??= { reason }
    for (const { reject } of waiting.splice(0)) reject(reason)
  }
  worker.on('message', (message: FromThread) => {
    if (message === 'started') isStarted = true
    else waiting.shift()?.resolve(message)
    if (waiting.length === 0) worker.unref()
  })
  worker.on('error', fail)
  const ended = () => fail(new Error('the thread that cuts files ended'))
  worker.on('exit', ended)
  const cutThere = (toCut: ToCut): Promise<CutSlot> => {
    const settled = deferred<CutSlot>()
    // A failure is met where the slot is awaited.
    settled.promise.catch(() => {})
    if (failed !== undefined) settled.reject(failed.reason)
    else waiting.push(settled)
    // Work under way keeps the process alive, a thread that waits does not.
    if (failed === undefined) worker.ref()
    worker.postMessage(toCut)
    return settled.promise
  }
  let wasCutHere = false
  return {
    slots: slotsIn(memory, slotCount),
    cut(slot, { isFirst, ...filled }) {
      const rest = isFirst ? nothing : wasCutHere ? here.rest() : undefined
      wasCutHere = !isStarted && failed === undefined
      return wasCutHere
        ? Promise.resolve(here.cut(slot, { ...filled, rest }))
        : cutThere({ slot, ...filled, rest })
    },
    end() {
      ended()
      void worker.terminate()
    },
  }
}

/** Modules that are compiled already load faster; nothing else in the environment is meant for the thread. */
function environmentIn({ NODE_COMPILE_CACHE }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}
