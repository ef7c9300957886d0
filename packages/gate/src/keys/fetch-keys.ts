/** Fetches a key set that a hub publishes. */

import { type KeySet, readKeySet } from '@latchkey/token'
import { fetchDocument, type PublicDocument } from './fetch-document.ts'

const keysOfTokens: PublicDocument = {
  path: '/.well-known/jwks.json',
  type: 'application/json',
  name: 'its keys',
  mostKiB: 64,
}

export function fetchKeys(hubUrl: string, patienceMs = 5000): Promise<KeySet> {
  return fetchKeySet(hubUrl, keysOfTokens, AbortSignal.timeout(patienceMs))
}

/** Fails when the hub does not answer with at least one key of ours. */
export async function fetchKeySet(
  hubUrl: string,
  wanted: PublicDocument,
  signal: AbortSignal,
): Promise<KeySet> {
  const document = await fetchDocument(hubUrl, wanted, signal)
  const keys = await readKeySet(
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(document)),
  )
  if (keys.size === 0) throw new Error('the hub published no key that the gate can use')
  return keys
}
