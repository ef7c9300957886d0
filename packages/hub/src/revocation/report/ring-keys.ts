/** The public halves of the keys that a running hub publishes. */

import { createPublicKey } from 'node:crypto'
import type { KeySet, VerifyingKey } from '@latchkey/token'
import type { SigningKey } from '@latchkey/token/signing'
import type { LiveRing } from '../../keys/live-ring.ts'

/**
 * Follows the table at every call: another hub may have signed the token with a key that this one has not used yet. Each
 * half is computed once.
 */
export function ringKeys(ring: Pick<LiveRing, 'published' | 'follow'>): () => Promise<KeySet> {
  const halves = new WeakMap<SigningKey, VerifyingKey>()
  const halfOf = (key: SigningKey): VerifyingKey => {
    const cachedKey = halves.get(key)
    if (cachedKey !== undefined) return cachedKey
    const { kid, alg, privateKey } = key
    const half = { kid, alg, publicKey: createPublicKey(privateKey) }
    halves.set(key, half)
    return half
  }
  return async () => {
    await ring.follow()
    return new Map(ring.published.map((key) => [key.kid, halfOf(key)]))
  }
}
