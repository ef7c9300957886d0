/** The keys a verifier trusts, and the document that publishes them (RFC 7517, RFC 7638). */

import { generateKeyPairSync } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { algorithms, readKeySet, verifyToken } from '../src/index.ts'
import {
  exportSigningKey,
  importSigningKey,
  jwksOf,
  type SigningKey,
  signToken,
} from '../src/signing.ts'
import { claims, edKey, esKey, expected } from './forge.ts'

async function published(change: Partial<JWK>): Promise<JWK> {
  return { ...esKey.publicJwk, ...change }
}

async function otherCurve(): Promise<JWK> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  return { ...jwk, alg: 'ES256', kid: await calculateJwkThumbprint(jwk) }
}

async function rsaKey(): Promise<JWK> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  return { ...jwk, alg: 'RS256', kid: await calculateJwkThumbprint(jwk) }
}

/** The same key to a lenient reader, and yet another id. */
async function spelt(key: SigningKey, change: (x: string) => string): Promise<JWK> {
  const jwk = { ...key.publicJwk, x: change(key.publicJwk.x ?? '') }
  return { ...jwk, kid: await calculateJwkThumbprint(jwk) }
}

describe('a published key is left out', () => {
  // conformance: Keys / A key has one spelling and one id
  test.each([
    ['with a kid that is not its thumbprint', () => published({ kid: edKey.kid })],
    ['with another kid of the right length', () => published({ kid: 'A'.repeat(43) })],
    ['with the algorithm of another curve', () => published({ alg: 'EdDSA' })],
    ['with an algorithm we do not use', () => published({ alg: 'ES384' })],
    ['on another curve', otherCurve],
    ['of another family', rsaKey],
    ['of ES256 with padding', () => spelt(esKey, (x) => `${x}=`)],
    ['of ES256 with a space', () => spelt(esKey, (x) => ` ${x}`)],
    ['of EdDSA with padding', () => spelt(edKey, (x) => `${x}=`)],
    ['of EdDSA with a space', () => spelt(edKey, (x) => ` ${x}`)],
    ['with zeros before its coordinate', () => spelt(esKey, (x) => `AAAA${x}`)],
  ])('%s', async (_, jwk) => {
    expect((await readKeySet({ keys: [await jwk()] })).size).toBe(0)
  })

  test('while its good neighbours stay', async () => {
    const bad = await published({ kid: 'A'.repeat(43) })
    const known = await readKeySet({ keys: [bad, ...jwksOf([edKey, esKey]).keys] })
    expect([...known.keys()]).toEqual([edKey.kid, esKey.kid])
  })
})

test('what is published holds no private part', () => {
  for (const jwk of jwksOf([esKey, edKey]).keys) {
    expect(Object.keys(jwk)).not.toContain('d')
    expect(jwk.use).toBe('sig')
  }
})

test.each(algorithms)('a key exported and imported signs the same tokens: %s', async (alg) => {
  const key = alg === 'ES256' ? esKey : edKey
  const imported = await importSigningKey(exportSigningKey(key), alg)
  expect({ kid: imported.kid, jwk: imported.publicJwk, header: imported.header }).toEqual({
    kid: key.kid,
    jwk: key.publicJwk,
    header: key.header,
  })
  const verified = await verifyToken(signToken(claims, imported).reveal(), expected)
  expect(verified).toMatchObject({ ok: true, kid: key.kid })
})
