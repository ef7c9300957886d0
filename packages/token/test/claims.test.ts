/** A claim set is read only from the one text that writes it. */

import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  type JournalNumber,
  journalNumber,
  type RepoType,
  repoTypes,
  scopes,
  type UnixSeconds,
} from '@latchkey/protocol'
import { anyText } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Claims,
  maxSeenRefs,
  maxTokenLength,
  parseClaims,
  serialiseClaims,
} from '../src/index.ts'
import { encodeClaims, prepareClaims, signToken } from '../src/signing.ts'
import { claims, edKey, esKey } from './forge.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300

function changed(name: string, value: unknown): string {
  return JSON.stringify({ ...claims, [name]: value })
}

function without(name: string): string {
  return JSON.stringify({ ...claims, [name]: undefined })
}

const names = Object.keys(claims)
const texts = ['iss', 'aud', 'sub', 'client_id', 'commit', 'jti']
const moments = ['as_of', 'iat', 'exp']
const wrong: Record<string, readonly unknown[]> = {
  text: ['', 1, true, null, {}, [], ['https://cas.example/r']],
  moment: ['1', 1.5, -1, 2 ** 53, null, true, [], {}, [1]],
  scope: ['', 'admin', 'READ', 'read write', ['read'], null, 1, {}],
  record: [null, 'x', 1, true, []],
}

const wrongValues: readonly (readonly [string, unknown])[] = [
  ...texts.flatMap((name) => (wrong['text'] ?? []).map((value) => [name, value] as const)),
  ...moments.flatMap((name) => (wrong['moment'] ?? []).map((value) => [name, value] as const)),
  ...(wrong['scope'] ?? []).map((value) => ['scope', value] as const),
  ...['repo', 'ref'].flatMap((name) =>
    (wrong['record'] ?? []).map((value) => [name, value] as const),
  ),
  ...(wrong['text'] ?? []).flatMap((value) => [
    ['repo', { ...claims.repo, type: value }] as const,
    ['repo', { ...claims.repo, id: value }] as const,
    ['repo', { ...claims.repo, uid: value }] as const,
    ['ref', { ...claims.ref, name: value }] as const,
    ['ref', { ...claims.ref, uid: value }] as const,
    ['sees', [{ uid: value, before: 1 }]] as const,
  ]),
  ['repo', { ...claims.repo, type: 'models' }],
  ['repo', { ...claims.repo, type: 'kernel' }],
  ['repo', { type: 'model', id: 'acme/bert' }],
  ['repo', { ...claims.repo, more: 'x' }],
  ['ref', { name: 'refs/heads/main' }],
  ['ref', { ...claims.ref, more: 'x' }],
  ...(wrong['moment'] ?? []).map((value) => ['sees', [{ uid: 'a', before: value }]] as const),
  ...[null, {}, 'x', 1, true].map((value) => ['sees', value] as const),
  ...[null, 'x', 1, []].map((value) => ['sees', [value]] as const),
  ['sees', [{ uid: 'a', before: 1, more: 1 }]],
  ['sees', [{ uid: 'a' }]],
  ['sees', [{ before: 1 }]],
  ['sees', [{ before: 1, uid: 'a' }]],
  ['sees', [{ uid: 'a', until: 1 }]],
  ['sees', [{ uid: 'a', until: 1, before: 2 }]],
  ['sees', [{ uid: 'a', before: 1 }, null]],
  ['sees', Array.from({ length: maxSeenRefs + 1 }, (_, at) => ({ uid: `${at}`, before: 1 }))],
]

describe('a claim set is refused', () => {
  test.each(wrongValues)('with a wrong value for %s: %j', (name, value) => {
    expect(parseClaims(changed(name, value))).toBeUndefined()
  })

  test.each(names)('without %s', (name) => {
    expect(parseClaims(without(name))).toBeUndefined()
  })

  test.each(names)('with %s at another place', (name) => {
    const { [name as keyof Claims]: moved, ...rest } = claims
    const text = JSON.stringify(
      name === 'jti' ? { jti: moved, ...rest } : { ...rest, [name]: moved },
    )
    expect(parseClaims(text)).toBeUndefined()
  })

  const text = serialiseClaims(claims)

  test.each(names)('with %s said twice', (name) => {
    const member = `"${name}":${JSON.stringify(claims[name as keyof Claims])}`
    expect(parseClaims(`{${member},${text.slice(1)}`)).toBeUndefined()
    expect(parseClaims(text.replace(member, `${member},${member}`))).toBeUndefined()
  })

  test.each([
    ['a member more', changed('more', 'x')],
    ['a member more at the front', `{"more":1,${text.slice(1)}`],
    ['a member called __proto__', `{"__proto__":{},${text.slice(1)}`],
    ['a space in front', ` ${text}`],
    ['a line break behind', `${text}\n`],
    ['a space inside', text.replace(',', ', ')],
    ['an escape that is not needed', text.replace('acme/bert', 'acme\\/bert')],
    ['a letter written as an escape', text.replace('acme', '\\u0061cme')],
    ['a moment with an exponent', text.replace('1700000000000', '17e11')],
    ['a moment with a fraction of zero', text.replace('1700000000000', '1700000000000.0')],
    ['a moment that is minus zero', text.replace('1700000000000', '-0')],
    ['a byte order mark', `\ufeff${text}`],
    ['a list around it', `[${text}]`],
    ['a cut end', text.slice(0, -1)],
    ['nothing', ''],
    ['null', 'null'],
    ['a number', '1'],
    ['a text', '"x"'],
    ['a list', '[]'],
    ['a list of thirteen', JSON.stringify(Object.values(claims))],
    ['an empty object', '{}'],
  ])('with %s', (_, changedText) => {
    expect(parseClaims(changedText)).toBeUndefined()
  })
})

const arbitraryMoment = fc.maxSafeNat().map((seconds) => seconds as UnixSeconds)
const arbitraryNumber = fc.maxSafeNat().map((number) => number as JournalNumber)
const arbitraryWord = anyText({ minLength: 1 })

const arbitraryClaims: fc.Arbitrary<Claims> = fc.record({
  iss: arbitraryWord,
  aud: arbitraryWord,
  sub: arbitraryWord.map(asAccountId),
  client_id: arbitraryWord.map(asHubTokenId),
  scope: fc.constantFrom(...scopes),
  repo: fc.record({
    type: fc.constantFrom<RepoType>(...repoTypes),
    id: arbitraryWord,
    uid: arbitraryWord.map(asRepositoryUid),
  }),
  ref: fc.record({ name: arbitraryWord, uid: arbitraryWord.map(asRefUid) }),
  commit: arbitraryWord,
  as_of: arbitraryNumber,
  sees: fc.array(fc.record({ uid: arbitraryWord.map(asRefUid), before: arbitraryNumber }), {
    maxLength: maxSeenRefs,
  }),
  iat: arbitraryMoment,
  exp: arbitraryMoment,
  jti: arbitraryWord,
})

describe('a claim set', () => {
  test('is read back as it was written, whatever it says', () => {
    fc.assert(
      fc.property(arbitraryClaims, (said) => {
        expect(parseClaims(serialiseClaims(said))).toEqual(said)
      }),
      { numRuns: runs },
    )
  })

  test('is encoded in two parts as it is in one, whatever it says', () => {
    fc.assert(
      fc.property(arbitraryClaims, arbitraryClaims, (said, { iat, exp, jti }) => {
        const whole = Buffer.from(serialiseClaims({ ...said, iat, exp, jti })).toString('base64url')
        expect(encodeClaims(prepareClaims(said), { iat, exp, jti })).toBe(whole)
      }),
      { numRuns: runs },
    )
  })

  test('has one text, in whatever order it was put together', () => {
    const reversed = Object.fromEntries(Object.entries(claims).reverse()) as unknown as Claims
    const text = serialiseClaims({
      ...reversed,
      ref: { uid: claims.ref.uid, name: claims.ref.name },
    })
    expect(text).toBe(serialiseClaims(claims))
  })

  test('may see eight other refs, or none, from the first number on', () => {
    for (const count of [0, maxSeenRefs]) {
      const sees = Array.from({ length: count }, (_, at) => ({
        uid: asRefUid(`ref-${at}`),
        before: 0 as JournalNumber,
      }))
      expect(parseClaims(serialiseClaims({ ...claims, sees }))?.sees).toEqual(sees)
    }
  })
})

test('a claim set may be of the first second there is', () => {
  const first = { ...claims, iat: 0 as UnixSeconds, exp: 0 as UnixSeconds }
  expect(parseClaims(serialiseClaims(first))).toEqual(first)
})

test('a token sees at most eight other refs and has at most 4096 characters', () => {
  expect([maxSeenRefs, maxTokenLength]).toEqual([8, 4096])
})

const id = 'a'.repeat(26)
const moment = 99_999_999_999 as UnixSeconds
const number = (moment * 1000) as JournalNumber

/** Everything as long as it can be; a ref name of quotation marks doubles in JSON. */
function largest(refName: string, address: string): Claims {
  return {
    iss: address,
    aud: address,
    sub: asAccountId(id),
    client_id: asHubTokenId(id),
    scope: 'write',
    repo: { type: 'dataset', id: `${'n'.repeat(96)}/${'m'.repeat(96)}`, uid: asRepositoryUid(id) },
    ref: { name: refName, uid: asRefUid(id) },
    commit: 'f'.repeat(64),
    as_of: number,
    sees: Array.from({ length: maxSeenRefs }, () => ({ uid: asRefUid(id), before: number })),
    iat: moment,
    exp: moment,
    jti: id,
  }
}

describe('a token', () => {
  test('that would have more than 4096 characters is a mistake in the program', () => {
    const address = `https://${'h'.repeat(2040)}`
    expect(() => signToken(largest('refs/heads/main', address), esKey)).toThrow(RangeError)
  })

  test.each([
    ['255 bytes of two-byte letters', `refs/heads/${'é'.repeat(127)}x`],
    ['255 bytes of four-byte characters', `refs/heads/${'🗝'.repeat(63)}xyz`],
    ['255 quotation marks', `refs/heads/${'"'.repeat(255)}`],
  ])(
    'stays within 4096 characters for the largest claims, addresses of 1300 together and a ref of %s',
    (_, refName) => {
      for (const key of [esKey, edKey]) {
        const token = signToken(largest(refName, `https://${'h'.repeat(642)}`), key).reveal()
        expect(token.length).toBeLessThanOrEqual(maxTokenLength)
      }
    },
  )

  test('is about 700 characters in everyday use', () => {
    const everyday = {
      ...largest('refs/heads/main', 'https://hub.example'),
      aud: 'https://cas.example/r',
      repo: { type: 'model', id: 'acme/bert', uid: asRepositoryUid(id) },
      commit: 'f'.repeat(40),
      as_of: journalNumber(1_800_000_000_000),
      sees: [],
    } as const
    expect(signToken(everyday, esKey).reveal().length).toBeLessThan(800)
  })
})
