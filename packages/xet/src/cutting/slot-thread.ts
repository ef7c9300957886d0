/** Has slots cut by a worker thread. Until the thread has started, they are cut on the calling thread. */

import { Worker } from 'node:worker_threads'
import { type Deferred, deferred } from '../waiting/deferred.ts'
import { type CutSlot, type SlotThread, slotCutter, slotMemory, slotsIn } from './cut-slots.ts'
import type { FromThread, ToCut } from './cutting-thread.ts'
import type { GearMemory } from './gear-scan.ts'

/** One in use, two being cut, and one being filled. */
export const slotCount = 4

const nothing = new Uint8Array(0)

export function slotThread(): SlotThread {
  const memory = slotMemory(slotCount)
  const here = slotCutter(memory)
  const there = remoteCutter(memory)
  let wasCutHere = false
  return {
    slots: slotsIn(memory, slotCount),
    cut(slot, { isFirst, ...filled }) {
      const rest = isFirst ? nothing : wasCutHere ? here.rest() : undefined
      wasCutHere = there.isStarting()
      return wasCutHere
        ? Promise.resolve(here.cut(slot, { ...filled, rest }))
        : there.cut({ slot, ...filled, rest })
    },
    end: there.end,
  }
}

interface RemoteCutter {
  /** Whether the thread has neither started nor failed yet. */
  isStarting(): boolean
  cut(toCut: ToCut): Promise<CutSlot>
  end(): void
}

/** Cuts on the thread, which keeps the process alive only while it has work. */
function remoteCutter(memory: GearMemory): RemoteCutter {
  const waiting: Deferred<CutSlot>[] = []
  let isStarted = false
  let failed: { readonly reason: unknown } | undefined
  const fail = (reason: unknown) => {
    failed ??= { reason }
    for (const { reject } of waiting.splice(0)) reject(reason)
  }
  const ended = () => fail(new Error('the thread that cuts files ended'))
  const worker = startWorker(memory)
  worker.on('error', fail).on('exit', ended)
  worker.on('message', (message: FromThread) => {
    if (message === 'started') isStarted = true
    else waiting.shift()?.resolve(message)
    if (waiting.length === 0) worker.unref()
  })
  return {
    isStarting: () => !isStarted && failed === undefined,
    cut(toCut) {
      const { promise, resolve, reject } = deferred<CutSlot>()
      // A failure is thrown where the slot is awaited, which may be later.
      promise.catch(() => {})
      if (failed !== undefined) reject(failed.reason)
      else {
        waiting.push({ promise, resolve, reject })
        worker.ref()
        worker.postMessage(toCut)
      }
      return promise
    },
    end() {
      ended()
      void worker.terminate()
    },
  }
}

/** A source file finds the sources of the thread, and a compiled file the compiled ones. */
const conditions = import.meta.url.endsWith('.ts') ? ['--conditions=@latchkey/source'] : []

/** With flags and an environment of its own: those of this process are not meant for the thread. */
function startWorker(memory: GearMemory): Worker {
  const { NODE_COMPILE_CACHE } = process.env
  const worker = new Worker(new URL('./cutting-thread.ts', import.meta.url), {
    execArgv: conditions,
    // Compiled modules load faster.
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    workerData: memory,
  })
  worker.unref()
  return worker
}
