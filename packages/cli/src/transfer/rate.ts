/** How fast a transfer is now: over the last seconds, not since it began. */

export interface Rate {
  /** Tells how many bytes have passed in all; gives how many pass in a second. */
  at(nowMs: number, bytes: number): number
}

const windowMs = 5000
/** Fewer than these say little about the window; more are not needed. */
const betweenMs = 100

interface Sample {
  readonly ms: number
  readonly bytes: number
}

export function rate(): Rate {
  let samples: Sample[] = []
  return {
    at(ms, bytes) {
      const last = samples.at(-1)
      // A second try begins at the beginning.
      if (last !== undefined && bytes < last.bytes) samples = []
      // One sample stays that is as old as the window, or as old as there is.
      while ((samples[1]?.ms ?? ms) <= ms - windowMs) samples.shift()
      const [first] = samples
      if (first === undefined || ms - (samples.at(-1)?.ms ?? 0) >= betweenMs) {
        samples.push({ ms, bytes })
      }
      if (first === undefined || ms <= first.ms) return 0
      return ((bytes - first.bytes) * 1000) / (ms - first.ms)
    },
  }
}
