/** A claim set becomes a signed token (JWS compact). */

import { Secret } from '@latchkey/protocol'
import { type Claims, longestToken, type MomentClaims } from './claims.ts'
import { encodeClaims, type PreparedClaims, prepareClaims } from './prepare-claims.ts'
import { signJws } from './sign-jws.ts'
import type { SigningKey } from './signing-key.ts'

export function signToken(claims: Claims, key: SigningKey): Secret<'access-token'> {
  return signPrepared(prepareClaims(claims), claims, key)
}

export function signPrepared(
  prepared: PreparedClaims,
  moment: MomentClaims,
  key: SigningKey,
): Secret<'access-token'> {
  const token = signJws(key.header, encodeClaims(prepared, moment), key)
  if (token.length > longestToken) throw new RangeError(`a token of ${token.length} characters`)
  return new Secret('access-token', token)
}
