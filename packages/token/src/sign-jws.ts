/** A text becomes a signed document in the compact form (RFC 7515). */

import { sign } from 'node:crypto'
import type { SigningKey } from './signing-key.ts'

/** Header and payload are encoded already: the one is the same for every document of a key and a type. */
export function signJws(header: string, payload: string, key: SigningKey): string {
  const signed = `${header}.${payload}`
  return `${signed}.${signatureOf(Buffer.from(signed, 'latin1'), key)}`
}

/** On the calling thread: the thread pool costs more than it gives for a 32 µs signature. */
function signatureOf(data: Buffer, { alg, privateKey }: SigningKey): string {
  const signature =
    alg === 'ES256'
      ? sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
      : sign(null, data, privateKey)
  return signature.toString('base64url')
}
