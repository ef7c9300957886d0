/** Asks again until there is something to answer with, or the time is over. */

import { setTimeout as delay } from 'node:timers/promises'
import type { JournalWatch } from './journal-watch.ts'

export interface LongPoll<Answer> {
  readonly watch: JournalWatch
  /** Holds the slot while the question waits: the account, or the storage. */
  readonly holder: string
  readonly waitSeconds: number
  /** The client has gone, or the hub stops. */
  readonly signal: AbortSignal
  /** The journal number at which an answer without news ends; undefined for an answer with news. */
  readonly endsWithoutNews?: (answer: Answer) => number | undefined
}

const pauseMs = 1000

/** `ask` is the whole question, who asks included: rights that are lost meanwhile are lost. */
export async function longPoll<Answer>(
  ask: () => Promise<Answer>,
  { watch, holder, waitSeconds, signal, endsWithoutNews = lastOfEmptyPage }: LongPoll<Answer>,
): Promise<Answer> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1000)])
  let answer = await ask()
  let last = endsWithoutNews(answer)
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
      last = endsWithoutNews(answer)
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
