/** Storage tokens as another library reads them (RFC 7515, RFC 7519, RFC 9068). */

import { inspect } from 'node:util'
import { Secret } from '@latchkey/protocol'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { generateSigningKey, jwksOf, type SigningKey, signToken } from '../src/signing.ts'
import { audience, claims, edKey, esKey, issuer, now, strangerKey } from './forge.ts'

const signers: readonly (readonly [string, SigningKey])[] = [
  ['ES256', esKey],
  ['EdDSA', edKey],
]

function readByJose(key: SigningKey, published: readonly SigningKey[]) {
  return jwtVerify(
    signToken(claims, key).reveal(),
    createLocalJWKSet({ keys: [...jwksOf(published).keys] }),
    { issuer, audience, typ: 'at+jwt', algorithms: [key.alg], currentDate: new Date(now * 1000) },
  )
}

describe.each(signers)('a token signed with %s', (alg, key) => {
  test('is refused by jose under the keys of somebody else', async () => {
    await expect(readByJose(key, [strangerKey])).rejects.toThrow()
  })

  // conformance: Guarantees / JWT libraries verify tokens with the published keys
  test('is verified by jose with the published keys, issuer and audience checked', async () => {
    const { payload, protectedHeader } = await readByJose(key, [strangerKey, edKey, esKey])
    expect(payload).toEqual(claims)
    expect(protectedHeader).toEqual({ alg, kid: key.kid, typ: 'at+jwt' })
  })

  test('names its key by the thumbprint of RFC 7638', () => {
    expect(decodeProtectedHeader(signToken(claims, key).reveal()).kid).toMatch(/^[\w-]{43}$/)
  })
})

test('no new key has an id that a command line would take for an option', async () => {
  const keys = await Promise.all(Array.from({ length: 600 }, () => generateSigningKey('EdDSA')))
  expect(keys.filter(({ kid }) => kid.startsWith('-'))).toEqual([])
})

test('a token is a secret from the moment it is made', () => {
  const token = signToken(claims, esKey)
  expect(token).toBeInstanceOf(Secret)
  expect(inspect(token)).toBe('[access-token]')
})

test('the claims stand in one fixed order and nothing else is said', () => {
  const [, payload = ''] = signToken({ ...claims, extra: 1 } as typeof claims, esKey)
    .reveal()
    .split('.')
  expect(Buffer.from(payload, 'base64url').toString()).toBe(JSON.stringify(claims))
})
