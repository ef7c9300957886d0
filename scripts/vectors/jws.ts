/** Tokens put together by hand, so that every part of them can be wrong. */

import { createECDH, createHash, sign } from 'node:crypto'
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

/**
 * The same text has the same signature in each run, so that files change only with their cases. Another `attempt` gives
 * another signature of ES256, as valid as the first.
 */
export function signatureOf(signed: string, key: VectorKey = esKey, attempt = 0): Buffer {
  return key.alg === 'ES256'
    ? es256(signed, key, attempt)
    : sign(null, Buffer.from(signed), key.privateKey)
}

/** The order of P-256. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** OpenSSL signs with random numbers. This one comes from key and text, which is fit for keys that are public. */
function es256(signed: string, { privateJwk }: VectorKey, attempt: number): Buffer {
  const secret = Buffer.from(privateJwk.d ?? '', 'base64url')
  const digest = createHash('sha256').update(signed).digest()
  const nonce = createHash('sha256').update(secret).update(digest).update(`${attempt}`).digest()
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(nonce)
  const r = numberOf(curve.getPublicKey().subarray(1, 33)) % order
  const sum = numberOf(digest) + r * numberOf(secret)
  return Buffer.concat([bytesOf(r), bytesOf((inverseOf(numberOf(nonce)) * sum) % order)])
}

/** By Fermat: the order is prime. */
function inverseOf(number: bigint): bigint {
  let [result, power] = [1n, number % order]
  for (let exponent = order - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * power) % order
    power = (power * power) % order
  }
  return result
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`)
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
}

/** Any header, any payload, and the right signature over them. */
export function jws(header: string, payload: string | Buffer, key: VectorKey = esKey): string {
  const signed = signedPart(header, payload)
  return `${signed}.${base64url(signatureOf(signed, key))}`
}

export function tokenOf(claims: object, key: VectorKey = esKey): string {
  return jws(headerOf(key), JSON.stringify(claims), key)
}
