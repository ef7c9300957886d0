/** Lets other requests have their turn while one works through many paths. */

import { nextSlice } from '@latchkey/service/limits/slices'

/** Counts steps of some microseconds. Rejects once the signal is aborted. */
export type Pace = (steps?: number) => Promise<void> | undefined

const stepsAtOnce = 2000

export function pace(signal?: AbortSignal): Pace {
  let done = 0
  return (steps = 1) => {
    done += steps
    if (done < stepsAtOnce) return undefined
    done = 0
    signal?.throwIfAborted()
    return nextSlice()
  }
}
