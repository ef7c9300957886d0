/** What a hub publishes about the storage tokens that it has taken back. */

import type { KeySet } from '@latchkey/token'
import { fetchDocument } from '../keys/fetch-document.ts'
import { fetchKeySet } from '../keys/fetch-keys.ts'

/** Each fails unless the hub answers with the whole document before the signal. */
export interface HubDocuments {
  /** Nothing verified yet. */
  head(signal: AbortSignal): Promise<string>
  /** The keys that heads are signed with, and nothing else. */
  keys(signal: AbortSignal): Promise<KeySet>
  /** The bytes of a list, by their hash; nothing verified yet. */
  list(hash: string, signal: AbortSignal): Promise<Uint8Array>
}

const path = '/.well-known/storage-revocations'

const head = { path, type: 'application/jwt', name: 'its head of revocations', mostKiB: 4 }

const keys = {
  path: '/.well-known/storage-revocation-keys',
  type: 'application/json',
  name: 'its revocation keys',
  mostKiB: 64,
}

const list = { type: 'application/octet-stream', name: 'its list of revocations', mostKiB: 4096 }

export function hubDocuments(hubUrl: string): HubDocuments {
  return {
    head: async (signal) => (await fetchDocument(hubUrl, head, signal)).toString('latin1'),
    keys: (signal) => fetchKeySet(hubUrl, keys, signal),
    list: (hash, signal) => fetchDocument(hubUrl, { ...list, path: `${path}/${hash}` }, signal),
  }
}
