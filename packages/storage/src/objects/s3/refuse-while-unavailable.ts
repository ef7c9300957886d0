/** Remembers that the store was unavailable: uploads then need not wait, one by one, for attempts that fail. */

import { shareRunning } from '@latchkey/protocol'
import type { StoreUnavailable } from '../object-store.ts'

export interface Outage {
  /** A request has failed, after all of its attempts. */
  note(failure: StoreUnavailable): void
  /** Before an upload. Throws while the store is still unavailable, after a second at the latest. */
  check(): Promise<void>
}

const maxLookMs = 1000

/** `look` is one attempt, for all uploads that come meanwhile. */
export function outage(look: () => Promise<unknown>): Outage {
  let last: StoreUnavailable | undefined
  const lookOnce = shareRunning(look)
  return {
    note(failure) {
      last = failure
    },
    async check() {
      if (last === undefined) return
      await inTime(lookOnce(), last)
      last = undefined
    },
  }
}

/** A store that does not answer is as unavailable as before. */
async function inTime(looking: Promise<unknown>, failure: StoreUnavailable): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(failure), maxLookMs)
  try {
    await Promise.race([looking, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
