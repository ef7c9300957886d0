/** A head of revocations has one spelling, one type and a key of its own; anything else is no head. */

import { journalNumber, unixSeconds } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  headType,
  type RevocationHead,
  serialiseHead,
  verifyHead,
  verifyToken,
} from '../src/index.ts'
import { signHead, signToken } from '../src/signing.ts'
import { claims, edKey, esKey, expected, forge, issuer, keys, now, strangerKey } from './forge.ts'

const head: RevocationHead = {
  iss: issuer,
  seq: journalNumber(1_800_000_000_000),
  list: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
  iat: now,
  exp: unixSeconds(now + 60),
}
const header = JSON.stringify({ alg: esKey.alg, kid: esKey.kid, typ: headType })
const forgeHead = (change: object) => forge(header, JSON.stringify({ ...head, ...change }))
const reasonFor = async (text: string) => {
  const read = await verifyHead(text, { keys, issuer })
  return read.ok ? 'accepted' : read.reason
}

test.each([esKey, edKey])('a head signed with $alg is read as it was written', async (key) => {
  const read = await verifyHead(signHead(head, key), { keys, issuer })
  expect(read).toEqual({ ok: true, head, kid: key.kid })
})

describe('a head is refused', () => {
  // biome-ignore format: a table is read by its columns
  test.each([
    ['that lives for 61 seconds',            { exp: now + 61 }],
    ['that ends as it begins',               { exp: now }],
    ['that ends before it begins',           { exp: now - 1 }],
    ['whose number is negative',             { seq: -1 }],
    ['whose number is a fraction',           { seq: 1.5 }],
    ['whose number is 2^53',                 { seq: 2 ** 53 }],
    ['whose number is text',                 { seq: '1' }],
    ['whose list is no hash',                { list: 'x' }],
    ['whose list is a path',                 { list: `../${'a'.repeat(40)}` }],
    ['whose list has 44 letters',            { list: 'a'.repeat(44) }],
    ['whose moments are text',               { iat: String(now) }],
    ['whose moments are fractions',          { iat: now + 0.5 }],
    ['without an issuer',                    { iss: undefined }],
    ['with a member more',                   { aud: 'x' }],
  ])('%s', async (_, change) => {
    expect(await reasonFor(forgeHead(change))).toBe('malformed')
  })

  test.each([
    ['of another order', JSON.stringify(Object.fromEntries(Object.entries(head).reverse()))],
    ['with a space', JSON.stringify(head).replace(',', ', ')],
    ['with a member twice', JSON.stringify(head).replace('{', '{"seq":1,')],
    ['that is a list', '[]'],
    ['that is null', 'null'],
    ['that is no JSON', 'head'],
  ])('%s', async (_, payload) => {
    expect(await reasonFor(forge(header, payload))).toBe('malformed')
  })

  test('that is a storage token, or of another type, though a right key has signed it', async () => {
    for (const typ of ['at+jwt', 'JWT', 'latchkey-revocations+JWT', 'latchkey-revocations']) {
      const other = JSON.stringify({ alg: esKey.alg, kid: esKey.kid, typ })
      expect(await reasonFor(forge(other, serialiseHead(head)))).toBe('malformed')
    }
    expect(await reasonFor(signToken(claims, esKey).reveal())).toBe('malformed')
    expect(await verifyToken(signHead(head, esKey), expected)).toMatchObject({
      reason: 'malformed',
    })
  })

  test('of an unknown key, of another issuer, with another algorithm, and beyond 4096 characters', async () => {
    expect(await reasonFor(signHead(head, strangerKey))).toBe('unknown_key')
    expect(await reasonFor(forgeHead({ iss: `${issuer}/` }))).toBe('wrong_issuer')
    const confused = JSON.stringify({ alg: edKey.alg, kid: esKey.kid, typ: headType })
    expect(await reasonFor(forge(confused, serialiseHead(head)))).toBe('malformed')
    expect(await reasonFor(forgeHead({ iss: 'x'.repeat(4096) }))).toBe('malformed')
  })
})

test('no letter of a head can be another one', async () => {
  const text = signHead(head, esKey)
  await fc.assert(
    fc.asyncProperty(
      fc.nat(text.length - 1),
      fc.constantFrom(...'ABCDwxyz0189-_.= é'),
      async (at, letter) => {
        fc.pre(text[at] !== letter)
        expect(await reasonFor(text.slice(0, at) + letter + text.slice(at + 1))).not.toBe(
          'accepted',
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('whatever is properly signed is either read and written again as it was, or refused', async () => {
  const payload = serialiseHead(head)
  const changed = fc
    .tuple(
      fc.nat(payload.length),
      fc.nat(3),
      fc.constantFrom('', '0', '1', '-', '"', ',', '{', ' ', 'é'),
    )
    .map(([at, removed, piece]) => payload.slice(0, at) + piece + payload.slice(at + removed))
  await fc.assert(
    fc.asyncProperty(fc.oneof(changed, fc.json()), async (given) => {
      const read = await verifyHead(forge(header, given), { keys, issuer })
      if (!read.ok) return
      expect(serialiseHead(read.head)).toBe(given)
      expect(read.head.exp - read.head.iat).toBeLessThanOrEqual(60)
    }),
    { numRuns: 300 },
  )
})
