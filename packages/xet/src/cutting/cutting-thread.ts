/** A thread that cuts and hashes the slots that it is told of, in memory that it shares with the main thread. */

import { parentPort, workerData } from 'node:worker_threads'
import { type CutSlot, type FilledSlot, slotCutter } from './cut-slots.ts'

export interface ToCut extends FilledSlot {
  readonly slot: number
}

export type Cut = CutSlot

const cut = slotCutter(workerData)

parentPort?.on('message', ({ slot, ...filled }: ToCut) => {
  const done: Cut = cut(slot, filled)
  parentPort?.postMessage(done, [done.hashes.buffer])
})
