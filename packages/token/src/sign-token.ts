/** A claim set becomes a signed token (JWS compact). */

import { sign } from 'node:crypto'
import { Secret } from '@latchkey/protocol'
import { type Claims, longestToken, serialiseClaims } from './claims.ts'
import type { SigningKey } from './signing-key.ts'

/** Signs on the calling thread: the thread pool costs more than it gives for a 32 µs signature. */
export function signToken(claims: Claims, key: SigningKey): Secret<'access-token'> {
  const payload = Buffer.from(serialiseClaims(claims)).toString('base64url')
  const signed = `${key.header}.${payload}`
  const token = `${signed}.${signatureOf(Buffer.from(signed, 'latin1'), key)}`
  if (token.length > longestToken) throw new RangeError(`a token of ${token.length} characters`)
  return new Secret('access-token', token)
}

function signatureOf(data: Buffer, { alg, privateKey }: SigningKey): string {
  const signature =
    alg === 'ES256'
      ? sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
      : sign(null, data, privateKey)
  return signature.toString('base64url')
}
