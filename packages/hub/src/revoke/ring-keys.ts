/** The public halves of the keys that a running hub publishes. */

import { createPublicKey } from 'node:crypto'
import type { KeySet, VerifyingKey } from '@latchkey/token'
import type { SigningKey } from '@latchkey/token/signing'

/** Asked at every call, because the keys of a running hub change; each half is computed once. */
export function ringKeys(ring: { readonly published: readonly SigningKey[] }): () => KeySet {
  const halves = new WeakMap<SigningKey, VerifyingKey>()
  const halfOf = (key: SigningKey): VerifyingKey => {
    const known = halves.get(key)
    if (known !== undefined) return known
    const { kid, alg, privateKey } = key
    const half = { kid, alg, publicKey: createPublicKey(privateKey) }
    halves.set(key, half)
    return half
  }
  return () => new Map(ring.published.map((key) => [key.kid, halfOf(key)]))
}
