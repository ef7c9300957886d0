/** Whether a signature is that of a key. */

import { type KeyObject, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { Algorithm } from './algorithm.ts'
import type { Jws } from './jws.ts'
import type { VerifyingKey } from './key-set.ts'

/** On the thread pool, so that a flood of forged tokens leaves the event loop to other requests. */
const verifySignature = promisify(verify)

export async function isSignedBy(
  { signed, signature }: Jws,
  { publicKey, alg }: VerifyingKey,
): Promise<boolean> {
  if (!isKeyOf(publicKey, alg)) return false
  const [digest, key] =
    alg === 'ES256'
      ? (['sha256', { key: publicKey, dsaEncoding: 'ieee-p1363' }] as const)
      : [null, publicKey]
  try {
    return await verifySignature(digest, Buffer.from(signed, 'latin1'), key, signature)
  } catch {
    return false
  }
}

/** Security boundary: an integrator's own key set may hold a key of another curve under our algorithm. */
function isKeyOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, alg: Algorithm): boolean {
  return alg === 'ES256'
    ? asymmetricKeyDetails?.namedCurve === 'prime256v1'
    : asymmetricKeyType === 'ed25519'
}
