/** RFC 6750 §2.1: how a bearer credential is read from Authorization headers. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBearer } from '../src/index.ts'
import { arbitraryText } from './arbitraries.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300

describe('a request without a bearer credential', () => {
  test('has none when there is no Authorization header', () => {
    expect(readBearer([])).toBe('missing')
  })

  test.each([
    'Basic bGs6bGs=',
    'Digest x',
    'Bearerx',
    'Bearer-Token abc',
    'xBearer abc',
    'lk_abc',
    '',
    ' ',
    ' Bearer abc',
  ])('has none when the scheme is another one: %j', (value) => {
    expect(readBearer([value])).toBe('missing')
  })
})

describe('a malformed bearer credential', () => {
  test.each([
    ['no token', 'Bearer'],
    ['no token after the space', 'Bearer '],
    ['two spaces', 'Bearer  abc'],
    ['a tab for the space', 'Bearer\tabc'],
    ['a trailing space', 'Bearer abc '],
    ['two tokens', 'Bearer abc def'],
    ['two credentials in one header', 'Bearer abc, Bearer def'],
    ['a line break', 'Bearer abc\ndef'],
    ['a line break at the end', 'Bearer abc\n'],
    ['a line break for the space', 'Bearer\nabc'],
    ['padding in the middle', 'Bearer a=b'],
    ['padding alone', 'Bearer ==='],
    ['quotes', 'Bearer "abc"'],
    ['a NUL', 'Bearer abc\u0000'],
    ['letters outside ASCII', 'Bearer abcé'],
  ])('is refused: %s', (_, value) => {
    expect(readBearer([value])).toBe('malformed')
  })

  test.each([
    [['Bearer abc', 'Bearer abc']],
    [['Bearer abc', 'Basic x']],
    [['Basic x', 'Bearer abc']],
    [['', '']],
  ])('is refused when there are two Authorization headers, whatever they hold: %j', (values) => {
    expect(readBearer(values)).toBe('malformed')
  })
})

describe('a well-formed bearer credential', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is read with the scheme as %s', (scheme) => {
    expect(readBearer([`${scheme} abc`])).toEqual({ token: 'abc' })
  })

  test.each(['a', 'lk_0aZ', 'a.b.c', 'A-Z._~+/', 'abc=', 'abc==='])(
    'is read whole: %s',
    (token) => {
      expect(readBearer([`Bearer ${token}`])).toEqual({ token })
    },
  )

  test('is read at 64000 characters', () => {
    const token = 'a'.repeat(64_000)
    expect(readBearer([`Bearer ${token}`])).toEqual({ token })
  })
})

test('reading never throws, and gives nothing but a part of what was sent', () => {
  const value = fc.oneof(
    arbitraryText,
    fc.string().map((text) => `Bearer ${text}`),
    fc.stringMatching(/^[Bb]earer [!-~]*$/),
  )
  fc.assert(
    fc.property(fc.array(value, { maxLength: 3 }), (values) => {
      const bearer = readBearer(values)
      if (typeof bearer === 'string') return
      expect(values).toHaveLength(1)
      expect(values[0]?.slice('Bearer '.length)).toBe(bearer.token)
      expect(bearer.token).toMatch(/^[A-Za-z0-9._~+/-]+=*$/)
    }),
    { numRuns: runs },
  )
})
