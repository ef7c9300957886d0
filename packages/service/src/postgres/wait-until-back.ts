/** Work that failed because the database was unavailable waits for it and is tried again: most restarts are short. */

import { setTimeout as delay } from 'node:timers/promises'
import { oneInFlight } from '../limits/turns.ts'
import { DatabaseUnavailable } from '../machine/errors.ts'

/** A client waits this much longer for its response, and no longer. */
export const reconnectWaitMs = 1500

interface WaitOptions {
  /** Whether the database can be used again. However many wait, it is asked once at a time. */
  readonly isBack: () => Promise<boolean>
  readonly maxWaitMs?: number
  readonly pauseMs?: number
}

/** Gives a promise only where the work gives one or has to wait. */
type WaitUntilBack = <Result>(work: () => Result | Promise<Result>) => Result | Promise<Result>

/** A change that may have taken effect is not repeated. */
export function waitUntilBack(options: WaitOptions): WaitUntilBack {
  const { isBack, maxWaitMs = reconnectWaitMs, pauseMs = 25 } = options
  const probeOnce = oneInFlight(() =>
    delay(pauseMs)
      .then(isBack)
      .catch(() => false),
  )
  const repeat = async <Result>(work: () => Result | Promise<Result>, first: unknown) => {
    const giveUpMs = performance.now() + maxWaitMs
    const leftMs = () => giveUpMs - performance.now()
    for (let error = first; ; ) {
      if (!isWorthWaiting(error)) throw error
      while (!(await within(leftMs(), probeOnce()))) if (leftMs() <= 0) throw error
      try {
        return await work()
      } catch (next) {
        error = next
      }
      if (leftMs() <= 0) throw error
    }
  }
  return (work) => {
    try {
      const result = work()
      return result instanceof Promise ? result.catch((error) => repeat(work, error)) : result
    } catch (error) {
      return repeat(work, error)
    }
  }
}

function isWorthWaiting(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !error.mayHaveTakenEffect
}

/** False where the answer does not come in time. */
async function within(maxMs: number, answer: Promise<boolean>): Promise<boolean> {
  if (maxMs <= 0) return false
  const late = new AbortController()
  try {
    return await Promise.race([answer, delay(maxMs, false, { signal: late.signal })])
  } finally {
    late.abort()
  }
}
