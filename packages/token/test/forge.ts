/** Tokens as an attacker, or a careless issuer, would write them. */

import { createHmac, sign } from 'node:crypto'
import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  journalNumber,
  unixSeconds,
} from '@latchkey/protocol'
import { type Claims, type Expectation, readKeySet, serialiseClaims } from '../src/index.ts'
import { generateSigningKey, jwksOf, type SigningKey } from '../src/signing.ts'

export const issuer = 'https://hub.example'
export const audience = 'https://cas.example/r'
export const now = unixSeconds(1_800_000_000)

export const claims: Claims = {
  iss: issuer,
  aud: audience,
  sub: asAccountId('account'),
  client_id: asHubTokenId('hub-token'),
  scope: 'read',
  repo: { type: 'model', id: 'acme/bert', uid: asRepositoryUid('repo-uid') },
  ref: { name: 'refs/heads/main', uid: asRefUid('ref-uid') },
  commit: '0123456789abcdef0123456789abcdef01234567',
  as_of: journalNumber(1_800_000_000_000),
  sees: [{ uid: asRefUid('other-uid'), before: journalNumber(1_700_000_000_000) }],
  iat: now,
  exp: unixSeconds(now + 900),
  jti: 'token-id',
}

export const esKey = await generateSigningKey('ES256')
export const edKey = await generateSigningKey('EdDSA')
export const strangerKey = await generateSigningKey('ES256')
export const keys = await readKeySet(jwksOf([esKey, edKey]))
export const expected: Expectation = { keys, issuer, audience, now }

export function base64url(text: string | Buffer): string {
  return Buffer.from(text).toString('base64url')
}

export function headerOf({ alg, kid }: SigningKey): string {
  return JSON.stringify({ alg, kid, typ: 'at+jwt' })
}

/** A token with any header and payload, signed properly by a key. */
export function forge(header: string, payload: string | Buffer, key: SigningKey = esKey): string {
  const signed = `${base64url(header)}.${base64url(payload)}`
  return `${signed}.${base64url(signatureOf(signed, key))}`
}

/** A token whose claims are any JSON text, signed properly. */
export function forgePayload(payload: string | Buffer): string {
  return forge(headerOf(esKey), payload)
}

/** A token whose header is any JSON text, signed properly. */
export function forgeHeader(header: string): string {
  return forge(header, serialiseClaims(claims))
}

export function signatureOf(signed: string, { alg, privateKey }: SigningKey): Buffer {
  return alg === 'ES256'
    ? sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    : sign(null, Buffer.from(signed), privateKey)
}

export function derSignatureOf(signed: string, { privateKey }: SigningKey): Buffer {
  return sign('sha256', Buffer.from(signed), privateKey)
}

/** The old confusion: an HMAC made with the public key, which everybody has. */
export function hmacOf(signed: string, secret: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(signed).digest()
}

export function withSignature(token: string, signature: string | Buffer): string {
  const text = typeof signature === 'string' ? signature : base64url(signature)
  return `${token.slice(0, token.lastIndexOf('.'))}.${text}`
}
