/** Signed documents put together by hand, so that every part of them can be wrong. */

import { sign } from 'node:crypto'
import { generateSigningKey, jwksOf, type SigningKey } from '@latchkey/token/signing'

export const es: SigningKey = await generateSigningKey('ES256')
export const ed: SigningKey = await generateSigningKey('EdDSA')
/** Signs as well as the others, but is not published. */
export const stranger: SigningKey = await generateSigningKey('ES256')
/** Signs heads of revocations. */
export const esHead: SigningKey = await generateSigningKey('ES256')
export const edHead: SigningKey = await generateSigningKey('EdDSA')

export const jwks = jwksOf([es, ed])
export const headJwks = jwksOf([esHead, edHead])

export function base64url(bytes: string | Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

export function headerText({ alg, kid }: SigningKey, typ = 'at+jwt'): string {
  return JSON.stringify({ alg, kid, typ })
}

export function signatureOf(signed: string, { alg, privateKey }: SigningKey): Buffer {
  return alg === 'ES256'
    ? sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    : sign(null, Buffer.from(signed), privateKey)
}

/** Any header and any payload with the right signature over them. */
export function signed(header: string, payload: string | Uint8Array, key: SigningKey): string {
  const data = `${base64url(header)}.${base64url(payload)}`
  return `${data}.${base64url(signatureOf(data, key))}`
}
