/** Fetches the key set that a hub publishes, from that hub alone and within bounds. */

import { readAtMost } from '@latchkey/service/read-at-most'
import { type KeySet, readKeySet } from '@latchkey/token'
import { fetchTwice } from './fetch-twice.ts'

const longestDocument = 64 * 1024

/** Fails when the hub does not answer with at least one key of ours. */
export async function fetchKeys(hubUrl: string, patienceMs = 5000): Promise<KeySet> {
  const response = await fetchTwice(`${hubUrl}/.well-known/jwks.json`, {
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(patienceMs),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    const hint = response.status === 421 ? '; let it answer to this name with --allowed-hosts' : ''
    throw new Error(`the hub answered with status ${response.status} instead of its keys${hint}`)
  }
  const keys = await readKeySet(JSON.parse(await readText(response)))
  if (keys.size === 0) throw new Error('the hub published no key that the gate can use')
  return keys
}

async function readText({ body }: Response): Promise<string> {
  const document = await readAtMost(body ?? [], longestDocument)
  if (document === undefined) throw new Error('the key set of the hub exceeds 64 KiB')
  return new TextDecoder('utf-8', { fatal: true }).decode(document)
}
