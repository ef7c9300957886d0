/** Paths that are one path to some file systems. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findTwins, linkTwins } from '../../src/names/twins.ts'
import { rounds } from '../rounds.ts'

describe('twins', () => {
  test.each([
    ['by case', ['a.txt', 'A.txt', 'b'], [['a.txt', 'A.txt']]],
    ['by the form of an accent', ['é', 'e\u0301'], [['é', 'e\u0301']]],
    ['by the two small sigmas', ['ς', 'σ', 'Σ'], [['ς', 'σ', 'Σ']]],
    ['by characters that macOS ignores', ['a', 'a\u200d'], [['a', 'a\u200d']]],
    ['by the case of a folder', ['a/x', 'A/y'], [['a', 'A']]],
    ['a file and a folder', ['docs/x', 'Docs'], [['docs', 'Docs']]],
    ['a path that comes twice', ['a', 'a'], []],
    ['none', ['a', 'b/a', 'b/c'], []],
  ])('are found: %s', (_, paths, twins) => {
    expect(findTwins(paths)).toEqual(twins)
  })

  test('of a link are told apart from others', () => {
    const paths = ['a/post-checkout', 'A', 'b', 'B']
    expect(linkTwins(paths, new Set(['A']))).toEqual([['a', 'A']])
    expect(linkTwins(paths, new Set(['c']))).toEqual([])
  })

  test('are found in whatever order the paths come', () => {
    const path = fc
      .array(fc.constantFrom('a', 'A', 'é', 'É', 'b'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'))
    const sorted = (paths: readonly string[]) =>
      findTwins(paths)
        .map((group) => group.toSorted().join())
        .toSorted()
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        expect(sorted(paths.toReversed())).toEqual(sorted(paths))
      }),
      { numRuns: rounds(200, 5000) },
    )
  })
})
