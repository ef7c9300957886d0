/** Waits for the journal to grow: one look at its head serves every long poll. */

import { setTimeout as delay } from 'node:timers/promises'
import { type Release, shares } from '@latchkey/service/limits/shares'

/** The slot of an account, or of a storage; undefined when none is left. */
export type TakeSlot = (holder: string) => Release | undefined

export interface JournalWatch {
  /** A long poll takes a slot before it waits. */
  readonly takeSlot: TakeSlot
  /** Settles when the head is beyond this number or the signal fires. */
  growsBeyond(number: number, signal: AbortSignal): Promise<void>
}

const everyMs = 250

/** Long polls: none takes the slots of the others. */
const maxWaiting = { max: 256, maxOfAccount: 8 }

export function journalWatch(readHead: () => Promise<number>): JournalWatch {
  const waiting = new Set<(head: number) => void>()
  const slots = shares(maxWaiting)
  let isLooking = false
  const look = async () => {
    isLooking = true
    while (waiting.size > 0) {
      await delay(everyMs, undefined, { ref: false })
      // A caller that asks again gets the database's error itself.
      const head = await readHead().catch(() => Number.POSITIVE_INFINITY)
      for (const wake of [...waiting]) wake(head)
    }
    isLooking = false
  }
  return {
    takeSlot: (account) => slots.takeNow({ account }),
    growsBeyond(number, signal) {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const settle = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', settle)
          resolve()
        }
        const wake = (head: number) => {
          if (head > number) settle()
        }
        waiting.add(wake)
        signal.addEventListener('abort', settle)
        if (!isLooking) void look()
      })
    },
  }
}
