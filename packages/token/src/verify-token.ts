/** A token becomes the claim set it was signed over, or the reason why it is not one. */

import { type OptionTypes, refuseOptions } from '@latchkey/protocol'
import { type Claims, maxLifeSeconds, maxTokenLength, parseClaims, tokenType } from './claims.ts'
import { isSignedBy } from './is-signed-by.ts'
import { type Jws, readJws } from './jws.ts'
import type { KeySet } from './key-set.ts'

export type VerificationResult =
  | { readonly ok: true; readonly claims: Claims; readonly kid: string }
  | {
      readonly ok: false
      readonly reason: InvalidToken
      /** The id of a token whose signature is right. */
      readonly tokenId?: string
    }

export type InvalidToken =
  | 'malformed'
  | 'unknown_key'
  | 'forged'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'not_yet_issued'
  | 'lives_too_long'
  | 'expired'

export interface Expectation {
  readonly keys: KeySet
  readonly issuer: string
  readonly audience: string
  readonly now: number
  /**
   * How far this clock and the hub's may differ.
   *
   * @default 30
   */
  readonly leewaySeconds?: number
}

const types: OptionTypes<Expectation> = {
  keys: 'object',
  issuer: 'string',
  audience: 'string',
  now: 'number',
  leewaySeconds: 'number',
}

/**
 * Fails only where the platform cannot verify signatures, or the expectation is not one: never
 * because of a token.
 *
 * @example
 * ```ts
 * const [issuer, audience] = ['https://hub.example', 'https://cas.example']
 * const now = Math.floor(Date.now() / 1000)
 * const verified = await verifyToken(token, { keys, issuer, audience, now })
 * console.log(verified.ok ? verified.claims : verified.reason)
 * ```
 */
export async function verifyToken(
  token: string,
  expected: Expectation,
): Promise<VerificationResult> {
  refuseOptions('verifyToken', expected, types)
  refuseNoNumber('now', expected.now)
  refuseNoNumber('leewaySeconds', expected.leewaySeconds)
  const parts = readParts(token)
  if (parts === undefined) return invalid('malformed')
  const { jws, claims } = parts
  const key = expected.keys.get(jws.kid)
  if (key === undefined) return invalid('unknown_key')
  if (jws.alg !== key.alg) return invalid('malformed')
  if (!(await isSignedBy(jws, key))) return invalid('forged')
  const reason = contradiction(claims, expected)
  if (reason !== undefined) return { ok: false, reason, tokenId: claims.jti }
  return { ok: true, claims, kid: key.kid }
}

/** Security boundary: every comparison with NaN is false, so no token would be expired. */
function refuseNoNumber(name: string, value = 0): void {
  if (!Number.isFinite(value)) throw new RangeError(`${name} of verifyToken is ${value}, no number`)
}

function invalid(reason: InvalidToken): VerificationResult {
  return { ok: false, reason }
}

interface Parts {
  readonly jws: Jws
  readonly claims: Claims
}

/** Checks the shape only, which leaves one spelling for every token; verifies nothing. */
function readParts(token: string): Parts | undefined {
  const jws = token.length > maxTokenLength ? undefined : readJws(token)
  if (jws?.typ !== tokenType) return undefined
  const claims = parseClaims(jws.payload)
  return claims === undefined ? undefined : { jws, claims }
}

function contradiction(claims: Claims, expected: Expectation): InvalidToken | undefined {
  const { issuer, audience, now, leewaySeconds = 30 } = expected
  if (claims.iss !== issuer) return 'wrong_issuer'
  if (claims.aud !== audience) return 'wrong_audience'
  if (claims.iat > now + leewaySeconds) return 'not_yet_issued'
  if (claims.exp - claims.iat > maxLifeSeconds) return 'lives_too_long'
  return claims.exp + leewaySeconds <= now ? 'expired' : undefined
}
