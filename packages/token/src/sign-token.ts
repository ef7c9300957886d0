import { sign } from 'node:crypto'
import { Secret } from '@latchkey/protocol'
import {
  type Claims,
  type LastingClaims,
  type MomentClaims,
  maxTokenLength,
  serialiseLastingClaims,
} from './claims.ts'
import { type RevocationHead, serialiseHead } from './revocation-head.ts'
import type { SigningKey } from './signing-key.ts'

export function signToken(claims: Claims, key: SigningKey): Secret<'access-token'> {
  return signPreparedClaims(prepareClaims(claims), claims, key)
}

export function signPreparedClaims(
  prepared: PreparedClaims,
  moment: MomentClaims,
  key: SigningKey,
): Secret<'access-token'> {
  const token = signJws(key.header, encodeClaims(prepared, moment), key)
  if (token.length > maxTokenLength) throw new RangeError(`a token of ${token.length} characters`)
  return new Secret('access-token', token)
}

export interface PreparedClaims {
  /** Base64url of whole groups of three bytes, so that the rest can be encoded apart (RFC 4648 §4). */
  readonly encoded: string
  /** The one or two characters that are left over, if any. They are ASCII, because `sees` is a list. */
  readonly rest: string
}

export function prepareClaims(claims: LastingClaims): PreparedClaims {
  const text = Buffer.from(`${serialiseLastingClaims(claims).slice(0, -1)},`)
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

export function signHead(head: RevocationHead, key: SigningKey): string {
  const payload = Buffer.from(serialiseHead(head)).toString('base64url')
  return signJws(key.headHeader, payload, key)
}
