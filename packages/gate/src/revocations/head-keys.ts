/** The keys that may sign heads: those that the hub publishes for that, but for those that its list has cut off. */

import type { Moment } from '@latchkey/protocol'
import { type Now, secondsBetween } from '@latchkey/service/machine/time'
import type { KeySet } from '@latchkey/token'
import { fetchDocument, fetchKeySet } from '../keys/fetch-keys.ts'
import { type HeldRevocations, namesKey } from './kept-entries.ts'

export interface HeadKeys {
  /** Asks for them if they are too old; fails if they stay so. */
  freshen(signal: AbortSignal): Promise<void>
  /** Asks for them, however old they are. */
  fetch(signal: AbortSignal): Promise<void>
  isPublished(kid: string): boolean
  /** The keys to verify with, for a gate that holds these news. */
  trusted(held: HeldRevocations | undefined): KeySet
}

/** A key that the hub has withdrawn is forgotten after so long. */
const freshKeySeconds = 60

export function headKeys(fetchKeys: HubDocuments['keys'], now: Now): HeadKeys {
  let published: KeySet = new Map()
  let lastRequestAt: Moment | undefined
  const fetch = async (signal: AbortSignal) => {
    const sent = now()
    published = await fetchKeys(signal)
    lastRequestAt = sent
  }
  return {
    fetch,
    async freshen(signal) {
      if (lastRequestAt === undefined || secondsBetween(lastRequestAt, now()) >= freshKeySeconds)
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

/** Each fails unless the hub answers with the whole document before the signal. */
export interface HubDocuments {
  /** The head as the hub sent it, not verified yet. */
  head(signal: AbortSignal): Promise<string>
  /** The keys that heads are signed with, and nothing else. */
  keys(signal: AbortSignal): Promise<KeySet>
  /** The bytes of a list, by their hash; nothing verified yet. */
  list(hash: string, signal: AbortSignal): Promise<Uint8Array>
}

const path = '/.well-known/storage-revocations'

const head = { path, type: 'application/jwt', name: 'its head of revocations', maxKiB: 4 }

const keys = {
  path: '/.well-known/storage-revocation-keys',
  type: 'application/json',
  name: 'its revocation keys',
  maxKiB: 64,
}

const list = { type: 'application/octet-stream', name: 'its list of revocations', maxKiB: 4096 }

export function hubDocuments(hubUrl: string): HubDocuments {
  return {
    head: async (signal) => (await fetchDocument(hubUrl, head, signal)).toString('latin1'),
    keys: (signal) => fetchKeySet(hubUrl, keys, signal),
    list: (hash, signal) => fetchDocument(hubUrl, { ...list, path: `${path}/${hash}` }, signal),
  }
}
