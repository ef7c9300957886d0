/** Asks again until there is something to answer with, or the time is over. */

import type { JournalWatch } from './journal-watch.ts'

export interface LongPoll {
  readonly watch: JournalWatch
  readonly waitSeconds: number
  /** The client has gone, or the hub stops. */
  readonly signal: AbortSignal
}

interface Empty {
  readonly items: readonly []
  readonly last: number
}

/** `ask` is the whole question, who asks included: rights that are lost meanwhile are lost. */
export async function longPoll(
  ask: () => Promise<unknown>,
  { watch, waitSeconds, signal }: LongPoll,
): Promise<unknown> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1000)])
  for (;;) {
    const answer = await ask()
    if (!isEmpty(answer) || over.aborted) return answer
    if (!(await watch.growsBeyond(answer.last, over))) return answer
  }
}

function isEmpty(answer: unknown): answer is Empty {
  const { items } = Object(answer)
  return Array.isArray(items) && items.length === 0
}
