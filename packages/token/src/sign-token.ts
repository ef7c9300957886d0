/** A claim set becomes a signed token (JWS compact). */

import { Secret } from '@latchkey/protocol'
import { type Claims, longestToken, serialiseClaims } from './claims.ts'
import { signJws } from './sign-jws.ts'
import type { SigningKey } from './signing-key.ts'

export function signToken(claims: Claims, key: SigningKey): Secret<'access-token'> {
  const token = signJws(serialiseClaims(claims), key.header, key)
  if (token.length > longestToken) throw new RangeError(`a token of ${token.length} characters`)
  return new Secret('access-token', token)
}
