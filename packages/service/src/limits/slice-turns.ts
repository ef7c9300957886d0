/** Runs work that is cut into slices one slice at a time for the whole process, so that other requests are served in between. */

import { Fifo } from './turn-queue.ts'

type Begin = () => void

const waiting = new Fifo<Begin>()
let isScheduled = false

/**
 * Resolves when the next slice may run. Callers take turns: each waits for at most one slice of every other caller. The
 * event loop serves sockets and timers between two slices.
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
