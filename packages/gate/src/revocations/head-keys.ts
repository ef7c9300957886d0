/** The keys that may sign heads: those that the hub publishes for that, but for those that its list has cut off. */

import type { Moment } from '@latchkey/protocol'
import { type Now, secondsBetween } from '@latchkey/service/machine/elapsed'
import type { KeySet } from '@latchkey/token'
import { type HeldNews, namesKey } from './held-news.ts'
import type { HubDocuments } from './hub-documents.ts'

export interface HeadKeys {
  /** Asks for them if they are too old; fails if they stay so. */
  freshen(signal: AbortSignal): Promise<void>
  /** Asks for them, however old they are. */
  fetch(signal: AbortSignal): Promise<void>
  isPublished(kid: string): boolean
  /** The keys to verify with, for a gate that holds these news. */
  trusted(held: HeldNews | undefined): KeySet
}

/** A key that the hub has withdrawn is forgotten after so long. */
export const freshKeySeconds = 60

export function headKeys(fetchKeys: HubDocuments['keys'], now: Now): HeadKeys {
  let published: KeySet = new Map()
  let asked: Moment | undefined
  const fetch = async (signal: AbortSignal) => {
    const sent = now()
    published = await fetchKeys(signal)
    asked = sent
  }
  return {
    fetch,
    async freshen(signal) {
      if (asked === undefined || secondsBetween(asked, now()) >= freshKeySeconds)
        await fetch(signal)
    },
    isPublished: (kid) => published.has(kid),
    trusted(held) {
      // A list cuts off keys only as long as its own key is good: whoever had a leaked key could cut off all others.
      if (held === undefined || !published.has(held.kid)) return published
      return new Map([...published].filter(([kid]) => !namesKey(held.listed, kid)))
    },
  }
}
