/** Tells a person at a terminal why a transfer waits. */

import { tell } from '../output/tell.ts'
import type { nodeFetch } from './node-fetch.ts'

const noticeAfterMs = 2000

/** Prints one line when requests have failed for two seconds, and again after the next success. */
export function withNotice(
  fetch: typeof nodeFetch,
  retryTimeoutSeconds: number,
  isTerminal: boolean = process.stderr.isTTY === true,
): typeof nodeFetch {
  if (!isTerminal) return fetch
  let firstFailureMs: number | undefined
  let isTold = false
  const note = (url: string, status: number | undefined) => {
    firstFailureMs ??= performance.now()
    if (isTold || performance.now() - firstFailureMs < noticeAfterMs) return
    isTold = true
    const reason = status === undefined ? 'cannot be reached' : `answers ${status}`
    tell(
      `latchkey: ${new URL(url).origin} ${reason}; trying again for up to ${retryTimeoutSeconds} s (--retry-timeout)`,
    )
  }
  return async (url, init) => {
    try {
      const answer = await fetch(url, init)
      if (answer.status === 429 || answer.status >= 500) note(url, answer.status)
      else [firstFailureMs, isTold] = [undefined, false]
      return answer
    } catch (error) {
      note(url, undefined)
      throw error
    }
  }
}
