/** Where node:crypto cannot verify a signature WebCrypto does; where neither can, no token is called forged. */

import { createPublicKey, type KeyObject } from 'node:crypto'
import { unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { type KeySet, verifyHead, verifyToken } from '../src/index.ts'
import { type SigningKey, signHead, signToken } from '../src/signing.ts'
import { claims, edKey, esKey, expected } from './forge.ts'

/** Keys that node:crypto does not take, as it takes none for ES256 in workerd. */
function keysOf({ kid, alg, publicJwk }: SigningKey, change: object = {}): KeySet {
  const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
    key: publicJwk,
    format: 'jwk',
  })
  const shown = { asymmetricKeyType, asymmetricKeyDetails, export: () => publicJwk, ...change }
  return new Map([[kid, { kid, alg, publicKey: shown as unknown as KeyObject }]])
}

function withoutEnd(token: string): string {
  return `${token.slice(0, -86)}${'A'.repeat(86)}`
}

describe.each([
  ['ES256', esKey],
  ['EdDSA', edKey],
])('where node:crypto cannot verify %s', (_, key) => {
  const token = signToken(claims, key).reveal()

  test('a right token is verified by WebCrypto, and a forged one is forged', async () => {
    const expectation = { ...expected, keys: keysOf(key) }
    expect(await verifyToken(token, expectation)).toEqual({ ok: true, claims, kid: key.kid })
    expect(await verifyToken(token, expectation)).toMatchObject({ ok: true })
    expect(await verifyToken(withoutEnd(token), expectation)).toEqual({
      ok: false,
      reason: 'forged',
    })
  })

  test('and WebCrypto cannot either, verification fails and no token is called forged', async () => {
    const keys = keysOf(key, { export: () => ({ kty: 'none' }) })
    const said = /this platform cannot verify a signature of (ES256|EdDSA)\. node:crypto says: /
    await expect(verifyToken(token, { ...expected, keys })).rejects.toThrow(said)
    const { iss, as_of: seq, exp } = claims
    const head = signHead({ iss, seq, list: 'A'.repeat(43), iat: unixSeconds(exp - 60), exp }, key)
    await expect(verifyHead(head, { keys, issuer: iss })).rejects.toThrow(said)
  })
})

test.each([
  [
    'another name',
    { leeway: 0 },
    'leeway is no option of verifyToken. Did you mean leewaySeconds?',
  ],
  [
    'another type',
    { audience: [expected.audience] },
    'audience of verifyToken must be string, and is an array.',
  ],
])('verifyToken refuses an expectation with %s', async (_, change, sentence) => {
  const verified = verifyToken(signToken(claims, esKey).reveal(), {
    ...expected,
    ...change,
  } as never)
  await expect(verified).rejects.toThrow(sentence)
})
