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

interface LongPoll<Answer> {
  readonly watch: JournalWatch
  /** Holds the slot while the question waits: the account, or the storage. */
  readonly holder: string
  readonly waitSeconds: number
  /** The client has gone, or the hub stops. */
  readonly signal: AbortSignal
  /** The journal number at which an answer without news ends; undefined for an answer with news. */
  readonly endsWhenStale?: (answer: Answer) => number | undefined
}

const pauseMs = 1000

/** `ask` is the whole question, who asks included: rights that are lost meanwhile are lost. */
export async function longPoll<Answer>(
  ask: () => Promise<Answer>,
  { watch, holder, waitSeconds, signal, endsWhenStale = lastOfEmptyPage }: LongPoll<Answer>,
): Promise<Answer> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1000)])
  let answer = await ask()
  let last = endsWhenStale(answer)
  if (last === undefined) return answer
  const freeSlot = watch.takeSlot(holder)
  // An answer at once would let a client that relies on `wait` ask without a pause.
  if (freeSlot === undefined) return pause(over).then(ask)
  try {
    for (let wasWoken = false; last !== undefined && !over.aborted; wasWoken = true) {
      // Every change wakes every question, and asking counts against the hub token's request limit.
      if (wasWoken) await pause(over)
      await watch.growsBeyond(last, over)
      answer = await ask()
      last = endsWhenStale(answer)
    }
    return answer
  } finally {
    freeSlot()
  }
}

/** A second, or less when the signal fires. */
function pause(signal: AbortSignal): Promise<void> {
  return delay(pauseMs, undefined, { signal }).catch(() => {})
}

function lastOfEmptyPage(answer: unknown): number | undefined {
  const { items, last } = Object(answer)
  return Array.isArray(items) && items.length === 0 ? last : undefined
}
