/** A request is read in one way, or refused. */

import { isRefusal, parseNormalPath } from '@latchkey/protocol'
import { anyText } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type GateRequest, type ReadRequest, readRequest } from '../../src/request/read-request.ts'

const authority = 'cas.example:8443'

function reading(change: Partial<GateRequest>): ReadRequest | undefined {
  const read = readRequest({ method: 'GET', target: '/a', headers: [], ...change }, authority)
  if (!isRefusal(read)) return read
  expect(read.code).toBe('bad_request')
  return undefined
}

describe('a target in the absolute form', () => {
  test.each([
    'http://cas.example:8443/a/b?c',
    'https://cas.example:8443/a/b?c',
    'HTTPS://CAS.Example:8443/a/b?c',
  ])('is judged by its path when the authority is ours: %s', (target) => {
    expect(reading({ target })).toMatchObject({ path: '/a/b', query: '?c', target })
  })

  test.each([
    'https://cas.example/a',
    'https://cas.example:443/a',
    'https://cas.example:84430/a',
    'https://other.example:8443/a',
    'https://cas.example:8443.other.example/a',
    'https://user@cas.example:8443/a',
    'https://cas.example:8443@other.example/a',
    'https://cas.example:8443',
    'https://cas.example:8443?/a',
    'https://cas.example:8443\\a',
    'https:/cas.example:8443/a',
    'https:///a',
    'ws://cas.example:8443/a',
    'ftp://cas.example:8443/a',
    'file:///a',
    'https://cas.example:8443//a',
    'https://cas.example:8443/a/../b',
  ])('is refused otherwise: %s', (target) => {
    expect(reading({ target })).toBeUndefined()
  })

  test('is read like the same path without the authority', () => {
    const text = fc.string({ unit: 'binary-ascii' })
    fc.assert(
      fc.property(text, (rest) => {
        const plain = reading({ target: `/${rest}` })
        const absolute = reading({ target: `https://${authority}/${rest}` })
        expect(absolute?.path).toBe(plain?.path)
        expect(absolute?.query).toBe(plain?.query)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('other targets are refused', () => {
  test.each(['', '*', 'a', 'cas.example:8443', '?a', '#', '\\a', ' /a'])('%j', (target) => {
    expect(reading({ target, method: 'OPTIONS' })).toBeUndefined()
  })
})

describe('a query', () => {
  test.each(['?', '?a=b&c=%20', '?file_id=x&x=/../;y', '?a?b', '?"\\^`{|}<>[]'])(
    'is handed on as it came: %s',
    (query) => {
      expect(reading({ target: `/a${query}` })).toMatchObject({ path: '/a', query })
    },
  )

  test.each(['?#', '?a#b', '? ', '?a\tb', '?a\r\nb', '?\u0000', '?\u007f', '?é', '?\u2028'])(
    'that could be read in two ways is refused: %j',
    (query) => {
      expect(reading({ target: `/a${query}` })).toBeUndefined()
    },
  )

  test('begins at the first question mark and never changes what the path is', () => {
    const path = fc.constantFrom('/', '/a', '/a/b', '/xorb/default/a')
    const query = fc.string({ unit: 'binary-ascii' })
    fc.assert(
      fc.property(path, query, (before, after) => {
        const read = reading({ target: `${before}?${after}` })
        if (read !== undefined) expect(read).toMatchObject({ path: before, query: `?${after}` })
        expect(read === undefined).toBe(/[^\u0021-\u007e]|#/.test(after))
      }),
      { numRuns: 1000 },
    )
  })
})

test('path and query together are the target, for every target that is read', () => {
  const target = fc
    .array(fc.constantFrom(...'/abAZ09.%?#;\\ +~é', '%2f', '%20', '//', '/..', '\u0000'))
    .map((parts) => `/${parts.join('')}`)
  fc.assert(
    fc.property(target, (whole) => {
      const read = reading({ target: whole })
      if (read === undefined) return
      expect(read.path + read.query).toBe(whole)
      expect(parseNormalPath(read.path)).toBe(read.path)
    }),
    { numRuns: 5000 },
  )
})

describe('a body', () => {
  const length = (value: string) => ['Content-Length', value]
  const chunked = ['Transfer-Encoding', 'chunked']

  test.each([
    ['on GET', 'GET', length('1')],
    ['on HEAD', 'HEAD', length('1')],
    ['on GET in chunks', 'GET', chunked],
    ['on HEAD in chunks', 'HEAD', ['transfer-encoding', 'gzip, chunked']],
    ['with two lengths', 'POST', [...length('1'), ...length('2')]],
    ['with the same length twice', 'POST', [...length('1'), ...length('1')]],
    ['with two lengths in one header', 'POST', length('1, 1')],
    ['with a length and chunks', 'POST', [...length('1'), ...chunked]],
    ['with chunks and a length', 'POST', [...chunked, 'content-LENGTH', '1']],
    ['with chunks twice', 'POST', [...chunked, ...chunked]],
    ['with a signed length', 'POST', length('+1')],
    ['with a negative length', 'POST', length('-1')],
    ['with a length in other digits', 'POST', length('0x10')],
    ['with an empty length', 'POST', length('')],
    ['with a length of spaces', 'POST', length(' ')],
    ['with a length beyond counting', 'POST', length('9'.repeat(16))],
  ])('%s is refused', (_, method, headers) => {
    expect(reading({ method, headers })).toBeUndefined()
  })

  test.each([
    ['none on GET', 'GET', []],
    ['a length of 0 on GET', 'GET', length('0')],
    ['a length of 0 on HEAD', 'HEAD', length('00')],
    ['a length on POST', 'POST', length('12345')],
    ['chunks on POST', 'POST', chunked],
    ['a length on DELETE', 'DELETE', length('1')],
    ['a length on a method nobody knows', 'BREW', length('1')],
  ])('is read: %s', (_, method, headers) => {
    expect(reading({ method, headers })).toBeDefined()
  })
})

describe('Authorization headers', () => {
  test('are all found, in any case and in their order', () => {
    const headers = ['authorization', 'a', 'X', 'b', 'AUTHORIZATION', 'c', 'Authorization', '']
    expect(reading({ headers })?.authorization).toEqual(['a', 'c', ''])
  })

  test.each([
    'Authorizatio',
    'Authorization2',
    'X-Authorization',
    'Authorisation',
    'Author1zation',
  ])('are not taken from a header of another name: %s', (name) => {
    expect(reading({ headers: [name, 'a'] })?.authorization).toEqual([])
  })
})

// conformance: Attacks / 15. An attacker forges or removes the identity headers of the gate
describe('trailers that name identity headers are refused', () => {
  test.each(['Latchkey-Scope', 'x, latchkey_scope', 'X,LATCHKEY-REF ', 'latchkey'])(
    '%s',
    (list) => {
      expect(reading({ method: 'POST', headers: ['Trailer', list] })).toBeUndefined()
    },
  )

  test('and others are read', () => {
    expect(reading({ method: 'POST', headers: ['Trailer', 'Expires, X-Latchkey'] })).toBeDefined()
  })
})

test('whatever comes in is read or refused, and nothing throws', () => {
  const anyHeaders = fc.array(
    fc.oneof(anyText(), fc.constantFrom('Authorization', 'Content-Length', 'Trailer', 'Upgrade')),
  )
  fc.assert(
    fc.property(anyText(), anyText(), anyHeaders, (method, target, headers) => {
      const read = readRequest({ method, target, headers }, authority)
      expect(isRefusal(read) ? read.code : 'read').toMatch(/^(?:bad_request|read)$/)
    }),
    { numRuns: 3000 },
  )
})
