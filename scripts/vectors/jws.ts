/** Tokens put together by hand, so that every part of them can be wrong. */

import { sign } from 'node:crypto'
import { esKey, type VectorKey } from './keys.ts'

export const issuer = 'https://hub.example'
export const casUrl = 'https://cas.example/r/{repo}/{ref}'
export const audience = 'https://cas.example/r'
export const now = 1_800_000_000
export const leewaySeconds = 30

export const goodClaims = {
  iss: issuer,
  aud: audience,
  sub: 'account-of-ada',
  client_id: 'hub-token-of-ada',
  scope: 'read',
  repo: { type: 'model', id: 'acme/bert', uid: 'bertuid' },
  ref: { name: 'refs/heads/main', uid: 'mainuid' },
  commit: '0123456789abcdef0123456789abcdef01234567',
  as_of: 1_799_999_940_123,
  sees: [{ uid: 'forkuid', before: 1_700_000_000_456 }],
  iat: now - 60,
  exp: now + 840,
  jti: 'token-of-the-vectors',
}

export function base64url(text: string | Buffer): string {
  return Buffer.from(text).toString('base64url')
}

export function headerOf({ alg, kid }: VectorKey = esKey): string {
  return JSON.stringify({ alg, kid, typ: 'at+jwt' })
}

/** What is signed: header and payload, encoded. */
export function signedPart(header: string, payload: string | Buffer): string {
  return `${base64url(header)}.${base64url(payload)}`
}

export function signatureOf(signed: string, { alg, privateKey }: VectorKey = esKey): Buffer {
  return alg === 'ES256'
    ? sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    : sign(null, Buffer.from(signed), privateKey)
}

/** Any header, any payload, and the right signature over them. */
export function jws(header: string, payload: string | Buffer, key: VectorKey = esKey): string {
  const signed = signedPart(header, payload)
  return `${signed}.${base64url(signatureOf(signed, key))}`
}

export function tokenOf(claims: object, key: VectorKey = esKey): string {
  return jws(headerOf(key), JSON.stringify(claims), key)
}
