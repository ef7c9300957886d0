/** The shared tokens, each accepted or refused as the vectors say. */

import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { type Claims, type InvalidToken, type Jwks, readKeySet, verifyToken } from '../src/index.ts'

interface Document {
  readonly issuer: string
  readonly audience: string
  readonly now: UnixSeconds
  readonly leewaySeconds: number
  readonly jwks: Jwks
  readonly signingKeysOfTheseVectors: Readonly<Record<string, Jwks['keys'][number]>>
  readonly cases: readonly {
    readonly name: string
    readonly token: string
    readonly accepted: boolean
    readonly reason?: InvalidToken
    readonly claims?: Claims
  }[]
}

const file = new URL('../../../vectors/tokens.json', import.meta.url)
const { jwks, cases, signingKeysOfTheseVectors, ...vectors } = JSON.parse(
  readFileSync(file, 'utf8'),
) as Document
const keys = await readKeySet(jwks)
const { issuer, audience, leewaySeconds } = vectors
const expected = { keys, issuer, audience, leewaySeconds, now: unixSeconds(vectors.now) }

describe('a verifier refuses', () => {
  test.each(cases.filter(({ accepted }) => !accepted))('$name', async ({ token, reason }) => {
    expect(await verifyToken(token, expected)).toMatchObject({ ok: false, reason })
  })
})

describe('a verifier accepts', () => {
  test.each(cases.filter(({ accepted }) => accepted))('$name', async ({ token, claims }) => {
    expect(await verifyToken(token, expected)).toMatchObject({ ok: true, claims })
  })
})

describe('the vectors', () => {
  test('name every reason for which a token is refused', () => {
    const reasons: readonly InvalidToken[] = [
      ...(['expired', 'forged', 'lives_too_long', 'malformed', 'not_yet_issued'] as const),
      ...(['unknown_key', 'wrong_audience', 'wrong_issuer'] as const),
    ]
    const named = new Set(cases.flatMap(({ reason }) => reason ?? []))
    expect([...named].sort()).toEqual(reasons)
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
  })

  test('publish the private halves of their own keys, so that anyone can sign more', () => {
    const halves = Object.entries(signingKeysOfTheseVectors).map(([alg, jwk]) => {
      const publicKey = createPublicKey(createPrivateKey({ key: jwk, format: 'jwk' }))
      const known = [...keys.values()].find((key) => key.alg === alg)
      return known?.publicKey.equals(publicKey)
    })
    expect(halves).toEqual([true, true])
  })
})
