/** In the place of the token package's own: signatures are verified by njs' WebCrypto, which knows ES256 and no EdDSA. */

import type { Jws } from '../../../packages/token/src/jws.ts'
import type { ScriptKey } from './settings.ts'

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' }

/** The key is read for every request: njs keeps nothing from one to the next. */
export async function isSignedBy(
  { signed, signature }: Jws,
  { spki, alg }: ScriptKey,
): Promise<boolean> {
  if (alg !== 'ES256') return false
  const { subtle } = crypto
  const key = await subtle.importKey('spki', Buffer.from(spki, 'base64'), ecdsa, false, ['verify'])
  const bytes = signature as Buffer<ArrayBuffer>
  return subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes, Buffer.from(signed))
}
