/** What the tokens of one permit have in common is encoded once; each token adds its times and its id. */

import { type LastingClaims, type MomentClaims, serialiseLasting } from './claims.ts'

export interface PreparedClaims {
  /** Base64url of whole groups of three bytes, so that the rest can be encoded apart (RFC 4648 §4). */
  readonly encoded: string
  /** The one or two characters that are left over, if any. They are ASCII, because `sees` is a list. */
  readonly rest: string
}

export function prepareClaims(claims: LastingClaims): PreparedClaims {
  const text = Buffer.from(`${serialiseLasting(claims).slice(0, -1)},`)
  const whole = text.length - (text.length % 3)
  return {
    encoded: text.toString('base64url', 0, whole),
    rest: text.toString('latin1', whole),
  }
}

/** The same text as if all claims were encoded together. */
export function encodeClaims(
  { encoded, rest }: PreparedClaims,
  { iat, exp, jti }: MomentClaims,
): string {
  const last = `${rest}"iat":${iat},"exp":${exp},"jti":${JSON.stringify(jti)}}`
  return encoded + Buffer.from(last).toString('base64url')
}
