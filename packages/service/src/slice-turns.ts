/** Runs work that is cut into slices one slice at a time for the whole process, so that other requests are served in between. */

type Begin = () => void

const waiting: Begin[] = []
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

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    waiting.shift()?.()
    if (waiting.length > 0) schedule()
  })
}
