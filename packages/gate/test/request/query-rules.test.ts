/** A query may not name another method than the request. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namesMethod } from '../../src/request/read-request.ts'

const letters = [...'_method']

/** One letter as itself, in the other case, or encoded in either way. */
function spelled(letter: string): fc.Arbitrary<string> {
  const hex = (text: string) => `%${text.charCodeAt(0).toString(16)}`
  const upper = letter.toUpperCase()
  return fc.constantFrom(letter, upper, hex(letter), hex(upper), hex(letter).toUpperCase())
}

const around = fc.array(fc.constantFrom('a=b', 'x', '', 'method=1', '=', 'a=_method', '%', '%zz'))

describe('a query that names a method', () => {
  // conformance: Attacks / 46. An attacker sends another method or host in the query or proxy headers
  test('is refused for every spelling that a framework reads as _method', () => {
    const parameter = fc
      .tuple(
        fc.tuple(...letters.map(spelled)),
        fc.constantFrom('', '=', '=DELETE', '[]=PUT', '%00=x'),
      )
      .map(([name, rest]) => name.join('') + rest)
    fc.assert(
      fc.property(
        around,
        parameter,
        around,
        fc.constantFrom('&', ';'),
        (before, one, after, mark) => {
          expect(namesMethod(`?${[...before, one, ...after].join(mark)}`)).toBe(true)
        },
      ),
    )
  })

  test.each([
    '?_METHOD=PUT',
    '?.method=PUT',
    '?+_method=PUT',
    '?%20.method=PUT',
    '?[method=PUT',
    '??_method',
    '?_method+=x',
  ])('is refused as PHP reads it: %s', (query) => {
    expect(namesMethod(query)).toBe(true)
  })

  test.each([
    ...['', '?', '?method=PUT', '?a=_method', '?x_method=PUT', '?_methods=PUT', '?_method_=PUT'],
    ...['?http_method=PUT', '?a=%5Fmethod', '?a=b=_method', '?%255fmethod=PUT', '?%', '?_meth%6'],
  ])('is not %j', (query) => {
    expect(namesMethod(query)).toBe(false)
  })
})
