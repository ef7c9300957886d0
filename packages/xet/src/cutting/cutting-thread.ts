/** A thread that cuts and hashes the slots that it is told of, in memory that it shares with the main thread. */

import { parentPort, workerData } from 'node:worker_threads'
import { type CutSlot, type FilledSlot, slotCutter } from './cut-slots.ts'

export interface ToCut extends FilledSlot {
  readonly slot: number
}

/** It says that it has started, and then answers with what it has cut. */
export type FromThread = 'started' | CutSlot

const { cut } = slotCutter(workerData)

parentPort?.on('message', ({ slot, ...filled }: ToCut) => {
  const done = cut(slot, filled)
  parentPort?.postMessage(done satisfies FromThread, [done.hashes.buffer])
})
parentPort?.postMessage('started' satisfies FromThread)
