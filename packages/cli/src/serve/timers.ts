/** Time as supervision needs it; tests move it by hand. */

import type { Stopwatch } from '@latchkey/service/limits/limiter'

export interface Timers {
  readonly stopwatch: Stopwatch
  /** Acts once after so long; gives the function that calls it off. */
  after(ms: number, act: () => void): () => void
}

/** None of them keeps the process running. */
export const systemTimers: Timers = {
  stopwatch: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms).unref()
    return () => clearTimeout(timer)
  },
}
