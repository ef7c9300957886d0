/** Waits for the journal to grow: one look at its head serves everybody who waits. */

import { setTimeout as delay } from 'node:timers/promises'

export interface JournalWatch {
  /**
   * Settles when the head is beyond this number or the signal fires. False when too many wait already, so that the caller
   * must do without waiting.
   */
  growsBeyond(number: number, signal: AbortSignal): Promise<boolean>
}

const everyMs = 250
const mostWaiting = 256

export function journalWatch(readHead: () => Promise<number>): JournalWatch {
  const waiting = new Set<(head: number) => void>()
  let isLooking = false
  const look = async () => {
    isLooking = true
    while (waiting.size > 0) {
      await delay(everyMs, undefined, { ref: false })
      // A caller that asks again gets the database's error itself.
      const head = await readHead().catch(() => Number.POSITIVE_INFINITY)
      for (const tell of [...waiting]) tell(head)
    }
    isLooking = false
  }
  return {
    growsBeyond(number, signal) {
      if (waiting.size >= mostWaiting) return Promise.resolve(false)
      if (signal.aborted) return Promise.resolve(true)
      return new Promise((resolve) => {
        const settle = () => {
          waiting.delete(tell)
          signal.removeEventListener('abort', settle)
          resolve(true)
        }
        const tell = (head: number) => {
          if (head > number) settle()
        }
        waiting.add(tell)
        signal.addEventListener('abort', settle)
        if (!isLooking) void look()
      })
    },
  }
}
