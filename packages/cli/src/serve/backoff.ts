/** How long to wait before a process that ended is started again. */

export const firstDelayMs = 250
export const longestDelayMs = 30_000
/** A process that ran for so long has not ended because of its start. */
export const steadyMs = 60_000

/** Gives the delays one after the other, each from how long the process ran before it ended. */
export function backoff(): (ranMs: number) => number {
  let next = firstDelayMs
  return (ranMs) => {
    const delayMs = ranMs >= steadyMs ? firstDelayMs : next
    next = Math.min(delayMs * 2, longestDelayMs)
    return delayMs
  }
}
