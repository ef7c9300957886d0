/** The catalogue of refusals, and refusals as problem documents (RFC 9457). */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  headerText,
  isRefusal,
  problemOf,
  type RefusalCode,
  refuse,
  statusOf,
  titleOf,
} from '../src/index.ts'
import { arbitraryText } from './arbitraries.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300
const codes = Object.keys(statusOf) as RefusalCode[]

describe('every refusal code', () => {
  test.each(codes)('has a status of an error and a title: %s', (code) => {
    expect(statusOf[code]).toBeGreaterThanOrEqual(400)
    expect(statusOf[code]).toBeLessThan(600)
    expect(titleOf[code]).toMatch(/^[A-Z][^.]+$/)
  })

  test('has a title, and every title has a code', () => {
    expect(Object.keys(titleOf).sort()).toEqual(codes.toSorted())
  })

  test('has a title of its own', () => {
    expect(new Set(Object.values(titleOf)).size).toBe(codes.length)
  })

  test('is written in small letters and underscores', () => {
    expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([])
  })
})

// spec: Errors
// conformance: Endpoints / The errors are 401, 403 and 404
test('the token request is refused with 401, 403 and 404 as the specification says', () => {
  expect(statusOf.hub_token_missing).toBe(401)
  expect(statusOf.hub_token_invalid).toBe(401)
  expect(statusOf.permission_denied).toBe(403)
  expect(statusOf.repository_not_found).toBe(404)
  expect(statusOf.revision_not_found).toBe(404)
  expect(statusOf.not_found).toBe(404)
  expect(statusOf.method_not_allowed).toBe(405)
  expect(statusOf.rate_limited).toBe(429)
})

describe('a refusal', () => {
  test.each([undefined, null, 'code', 403, [], {}, new Map([['code', 1]])])(
    'is told from what is none: %j',
    (value) => {
      expect(isRefusal(value)).toBe(false)
    },
  )

  test('is recognised, and so are its copies', () => {
    const refusal = refuse('conflict', 'It is there already.')
    const { detail, ...rest } = refusal
    expect(isRefusal(refusal)).toBe(true)
    expect(isRefusal({ ...refusal, path: 'grants[0].on' })).toBe(true)
    expect(isRefusal(rest)).toBe(true)
  })

  test('leaves no mark in JSON, and data with the same members is none', () => {
    const text = JSON.stringify(refuse('conflict', 'It is there already.'))
    expect(text).toBe('{"code":"conflict","detail":"It is there already."}')
    expect(isRefusal(JSON.parse(text))).toBe(false)
  })

  test('is never read from JSON, whatever its members are called', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isRefusal({ code: 'conflict', detail: value })).toBe(false)
        expect(isRefusal(value)).toBe(false)
      }),
      { numRuns: runs },
    )
  })

  test('keeps what it was given besides its code and sentence', () => {
    const refusal = refuse('rate_limited', 'Wait.', { retryAfterSeconds: 3 })
    expect(JSON.parse(JSON.stringify(refusal))).toEqual({
      code: 'rate_limited',
      detail: 'Wait.',
      retryAfterSeconds: 3,
    })
  })
})

describe('a problem document', () => {
  test('carries the code, the sentence twice and nothing it was not given', () => {
    expect(problemOf(refuse('not_found', 'Nothing here.'), 'r1')).toEqual({
      type: 'urn:latchkey:refusal:not_found',
      title: 'The path has no route',
      status: 404,
      detail: 'Nothing here.',
      code: 'not_found',
      requestId: 'r1',
      error: 'Nothing here.',
    })
  })

  test('says what is missing and where, when the refusal does', () => {
    const refusal = refuse('permission_denied', 'No.', { missing: 'a role', path: 'grants[0].on' })
    expect(problemOf(refusal, 'r2')).toMatchObject({ missing: 'a role', path: 'grants[0].on' })
  })

  test('does not repeat the wait, which is a header', () => {
    const refusal = refuse('rate_limited', 'Wait.', { retryAfterSeconds: 3 })
    expect(Object.keys(problemOf(refusal, 'r3'))).not.toContain('retryAfterSeconds')
  })
})

describe('text for a header', () => {
  test.each([
    ['plain words, and 100% of them', 'plain words, and 100% of them'],
    ['a\r\nSet-Cookie: b', 'a%0D%0ASet-Cookie: b'],
    ['é', '%C3%A9'],
    ['🗝', '%F0%9F%97%9D'],
    ['\ud800', '%EF%BF%BD'],
    ['\u007f\u0000', '%7F%00'],
    ['~ ', '~ '],
  ])('is %j as %j', (text, expected) => {
    expect(headerText(text)).toBe(expected)
  })

  test('is printable ASCII, whatever the text is', () => {
    fc.assert(
      fc.property(arbitraryText, (text) => {
        expect(headerText(text)).toMatch(/^[\u0020-\u007e]*$/)
      }),
      { numRuns: runs },
    )
  })
})
