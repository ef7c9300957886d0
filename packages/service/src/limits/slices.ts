/** Cuts long work into slices, so that other requests are served in between. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { Fifo } from './turn-queue.ts'

/** For work that holds a lock, or has a thread of its own: unlike `nextSlice`, it waits for no other slice. */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await nextTurn()
  signal?.throwIfAborted()
}

/** The same in a loop, after so many steps. Fewer are done in one go, so that a lock is held for as short as possible. */
export async function yieldInLoop(index: number, steps = 50): Promise<void> {
  if (index > 0 && index % steps === 0) await nextTurn()
}

type Begin = () => void

const waiting = new Fifo<Begin>()
let isScheduled = false

/**
 * Resolves when the next slice may run: the process runs one at a time. Callers take turns: each waits for at most one
 * slice of every other caller. The event loop serves sockets and timers between two slices.
 */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    schedule()
  })
}

/** For work that asks often whether its slice is over. Undefined while it is not: then there is no turn to wait for. */
export function slicePauses(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < sliceMs) return undefined
    return nextSlice().then(() => {
      began = performance.now()
    })
  }
}

const sliceMs = 4

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    waiting.shift()?.()
    if (waiting.size > 0) schedule()
  })
}
