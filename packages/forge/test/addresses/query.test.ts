/** Queries, and the flags that clients write in their own ways. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFlagSet, readQuery } from '../../src/words/query.ts'
import { rounds } from '../rounds.ts'

describe('a query', () => {
  test.each(['?a=%', '?a=%ff', '?%C0%AE', '?é'])('is refused: %s', (target) => {
    expect(readQuery(`/x${target}`)).toBeUndefined()
  })

  test('is refused when it is too long', () => {
    expect(readQuery(`/x?${'a'.repeat(8193)}`)).toBeUndefined()
  })

  test('has its values in order, decoded once', () => {
    const query = readQuery('/x?a=1&b=x+y%2B%2520&a=2&c&=z&&d=e=f')
    expect([...(query ?? [])]).toEqual([
      ...[
        ['a', ['1', '2']],
        ['b', ['x y+%20']],
        ['c', ['']],
        ['d', ['e=f']],
      ],
    ])
  })

  test.each([
    ['?recursive', true],
    ['?recursive=1', true],
    ['?recursive=True', true],
    ['?recursive=true', true],
    ['?recursive=False', false],
    ['?recursive=0', false],
    ['?other', false],
    ['', false],
    ['?recursive=true&recursive=false', false],
  ])('sets a flag or not: %s', (target, isSet) => {
    expect(isFlagSet(readQuery(target) ?? new Map(), 'recursive')).toBe(isSet)
  })

  test('is read as a browser reads it, where it can be read', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab=&+%2', '%20', '%C3%A9'), maxLength: 20 })
    fc.assert(
      fc.property(text, (given) => {
        const query = readQuery(`/?${given}`)
        if (query === undefined) return
        const pairs = [...new URLSearchParams(given)].filter(([name]) => name !== '')
        const grouped = Map.groupBy(pairs, ([name]) => name)
        const expected = [...grouped].map(([name, all]) => [name, all.map(([, value]) => value)])
        expect([...query]).toEqual(expected)
      }),
      { numRuns: rounds(300, 10_000) },
    )
  })
})
