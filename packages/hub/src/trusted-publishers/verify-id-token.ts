/** Verifies id tokens: first the signature of a configured issuer, then what every id token must say. */

import type { UnixSeconds } from '@latchkey/protocol'
import type { KeySource } from '@latchkey/service/http/kept-keys'
import { compactVerify } from 'jose'
import { readIdToken, type UnverifiedIdToken } from '../identity/id-token.ts'
import type { IdTokenClaims } from '../permission/trusted-publisher.ts'
import { type IssuerKey, type IssuerKeys, idTokenAlgorithms } from './issuer-keys.ts'
import type { IssuerSettings } from './issuer-settings.ts'

export interface Issuer {
  readonly settings: IssuerSettings
  readonly keys: KeySource<IssuerKeys>
}

export interface SignedIdToken {
  readonly claims: IdTokenClaims
  readonly settings: IssuerSettings
}

export type UnsignedReason = 'malformed' | 'unknown issuer' | 'wrong signature' | 'no keys'

/** The claims of an id token that a configured issuer has signed. They are not judged yet. */
export async function verifySignature(
  text: string,
  issuers: ReadonlyMap<string, Issuer>,
): Promise<SignedIdToken | UnsignedReason> {
  const read = readIdToken(text)
  if (read === undefined) return 'malformed'
  const issuer = issuers.get(String(read.claims['iss']))
  if (issuer === undefined) return 'unknown issuer'
  const key = await findKey(read, issuer)
  if (typeof key === 'string') return key
  try {
    await compactVerify(text, key.key, { algorithms: [key.alg] })
    return { claims: read.claims, settings: issuer.settings }
  } catch {
    return 'wrong signature'
  }
}

/** A key that is unknown may be new: the issuer is asked for it, at most once a second. */
async function findKey(
  { header: { kid, alg } }: UnverifiedIdToken,
  { keys }: Issuer,
): Promise<IssuerKey | 'no keys' | 'wrong signature'> {
  if (typeof kid !== 'string' || !(idTokenAlgorithms as readonly unknown[]).includes(alg)) {
    return 'wrong signature'
  }
  if (keys.known()?.has(kid) !== true) await keys.refresh()
  const keySet = keys.known()
  if (keySet === undefined) return 'no keys'
  const key = keySet.get(kid)
  return key === undefined || key.alg !== alg ? 'wrong signature' : key
}

/** Clocks of two machines differ. */
const leewaySeconds = 30
const maxJtiLength = 512

export interface JudgedIdToken {
  readonly jti: string
  readonly issuedAt: number
}

/** Judges audience and times; the reason is for the owners of the repository. */
export function judgeIdToken(
  { claims: { aud, exp, iat, nbf, jti }, settings }: SignedIdToken,
  { publicUrl, now }: { readonly publicUrl: string; readonly now: UnixSeconds },
): JudgedIdToken | { readonly reason: string } {
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  if (audience !== publicUrl) return { reason: `aud is not ${publicUrl}` }
  if (typeof exp !== 'number' || exp <= now - leewaySeconds) return { reason: 'it has expired' }
  if (typeof iat !== 'number' || iat > now + leewaySeconds)
    return { reason: 'iat is in the future' }
  if (iat < now - settings.maxAgeSeconds) {
    return { reason: `it is older than ${settings.maxAgeSeconds} s` }
  }
  const isEarly = nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + leewaySeconds)
  if (isEarly) return { reason: 'it is not valid yet' }
  const hasId = typeof jti === 'string' && jti.length > 0 && jti.length <= maxJtiLength
  return hasId ? { jti, issuedAt: iat } : { reason: 'it has no jti' }
}
