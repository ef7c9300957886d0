/** Waits before something is tried once more: longer after each failure. */

import { backoffMs } from '../download/backoff.ts'

export function pause(tries: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave)
      resolve()
    }, backoffMs(tries))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}
