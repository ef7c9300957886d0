/** Patterns over ref names: what may be written, what it matches, and what matching costs. */

import { canonicalPattern, isRefPattern, literalPrefixLength, matchesRef } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const runs = rounds(300, 10_000)

describe('a pattern is refused', () => {
  test.each([
    ['when it is empty', ''],
    ['at 256 characters', 'a'.repeat(256)],
    ['with five wildcards', '*a*a*a*a*'],
    ['with five wildcards of either kind', '**a*a**a*a**'],
    ['with three stars', 'a***'],
    ['with a leading slash', '/a'],
    ['with a trailing slash', 'a/'],
    ['with two slashes', 'a//b'],
    ['when nothing follows refs/', 'refs/'],
    ['when nothing follows refs/heads/', 'refs/heads/'],
    ['with two dots', 'a..b'],
    ['with @{', 'a@{b'],
    ['with a space', 'a b'],
    ['with a NUL', 'a\u0000'],
    ['with a line break', 'a\n'],
    ['with a DEL', 'a\u007f'],
    ['with a tilde', 'a~'],
    ['with a caret', 'a^'],
    ['with a colon', 'a:b'],
    ['with a question mark', 'a?'],
    ['with an opening bracket', '[ab]'],
    ['with a backslash', 'a\\*'],
    ['with half a surrogate pair', 'a\ud800'],
  ])('%s', (_, pattern) => {
    expect(isRefPattern(pattern)).toBe(false)
  })
})

test.each([
  'x',
  'main',
  '*',
  '**',
  'release/*',
  'refs/pr/**',
  'refs/*/x',
  '*a*a*a*',
  '**a**a**a**',
  'caf\u00e9/🗝',
  'a.b@c',
  'a'.repeat(255),
])('a pattern is accepted: %s', (pattern) => {
  expect(isRefPattern(pattern)).toBe(true)
})

test.each([
  ['main', 'refs/heads/main', 15],
  ['*', 'refs/heads/*', 11],
  ['release/*', 'refs/heads/release/*', 19],
  ['refs/tags/v*', 'refs/tags/v*', 11],
  ['refs/**', 'refs/**', 5],
  ['refs', 'refs/heads/refs', 15],
  ['refsx/a', 'refs/heads/refsx/a', 18],
  ['a*b*c', 'refs/heads/a*b*c', 12],
])('%s stands for %s, of which %i characters are literal', (pattern, canonical, length) => {
  expect(canonicalPattern(pattern)).toBe(canonical)
  expect(literalPrefixLength(pattern)).toBe(length)
})

/** The meaning of a pattern, said once more as a regular expression. */
function expressionOf(pattern: string): RegExp {
  const full = pattern.startsWith('refs/') ? pattern : `refs/heads/${pattern}`
  const source = full
    .split('**')
    .map((part) => part.split('*').map(escaped).join('[^/]*'))
    .join('[^]*')
  return new RegExp(`^${source}$`)
}

function escaped(literal: string): string {
  return literal.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
}

function textOf(pieces: readonly string[], maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { maxLength }).map((chosen) => chosen.join(''))
}

describe('matching', () => {
  const patterns = fc
    .tuple(fc.constantFrom('', 'refs/heads/', 'refs/'), textOf(['a', 'b', '/', '*', '**', '.'], 9))
    .map(([start, rest]) => (start + rest).replace(/\*{3,}/g, '**'))
  const names = fc
    .tuple(fc.constantFrom('refs/heads/', 'refs/'), textOf(['a', 'b', '/', '.', 'aa'], 10))
    .map(([start, rest]) => start + rest)

  // conformance: Attacks / 8. An attacker uses a pattern that matches more than it says
  test('agrees with the same pattern written as a regular expression', () => {
    fc.assert(
      fc.property(patterns, names, (pattern, name) => {
        expect(matchesRef(pattern, name)).toBe(expressionOf(pattern).test(name))
      }),
      { numRuns: runs },
    )
  })

  // conformance: Attacks / 8. An attacker uses a pattern that matches more than it says
  test('agrees with it on every short name', () => {
    const letters = ['a', 'b', '/']
    const short = ['', ...letters, ...letters.flatMap((one) => letters.map((two) => one + two))]
    const tails = short.flatMap((one) => letters.map((two) => `${one}${two}`))
    for (const pattern of ['*', '**', 'a*', '*a', '**a', 'a**', '*/*', '**/*', 'a*b', '*b**']) {
      for (const name of [...short, ...tails].map((tail) => `refs/heads/${tail}`)) {
        expect([pattern, name, matchesRef(pattern, name)]).toEqual([
          pattern,
          name,
          expressionOf(pattern).test(name),
        ])
      }
    }
  })

  test('reaches to the end of the longest name there can be', () => {
    const longest = `refs/heads/${'a'.repeat(255)}`
    expect(matchesRef('**', longest)).toBe(true)
    expect(matchesRef('a*a', longest)).toBe(true)
    expect(matchesRef('**b', longest)).toBe(false)
  })

  // conformance: Attacks / 8. An attacker uses a pattern that matches more than it says
  test('finds every name in its own pattern, and in none that is longer', () => {
    const literal = textOf(['a', 'b/c', '.'], 8).map((text) => `refs/heads/x${text}`)
    fc.assert(
      fc.property(literal, (name) => {
        expect(matchesRef(name, name)).toBe(true)
        expect(matchesRef(`${name}x`, name)).toBe(false)
        expect(matchesRef(name, `${name}x`)).toBe(false)
      }),
      { numRuns: runs },
    )
  })
})

/** The best of three, because others may want the processor too. */
function millisecondsOf(work: () => void): number {
  const rounds = Array.from({ length: 3 }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
  return Math.min(...rounds)
}

describe('matching cannot be made slow', () => {
  test.each([
    ['**a**a**a**b', 'a'.repeat(255)],
    ['*a*a*a*b', 'a'.repeat(255)],
    ['**/a**/a**/a**/b', 'a/'.repeat(127)],
    ['**a*a**a*b', 'a'.repeat(255)],
    [`**${'a'.repeat(240)}b`, 'a'.repeat(255)],
    [`**${'a'.repeat(120)}**${'a'.repeat(100)}b`, 'a'.repeat(255)],
    ['**a**b', 'a'.repeat(8000)],
    ['*a*b', 'a'.repeat(8000)],
  ])('by a hub token with 64 patterns like %s, on a long name', (pattern, name) => {
    expect(isRefPattern(pattern)).toBe(true)
    const spent = millisecondsOf(() => {
      for (let time = 0; time < 64; time += 1) matchesRef(pattern, `refs/heads/${name}`)
    })
    expect(matchesRef(pattern, `refs/heads/${name}`)).toBe(false)
    expect(spent).toBeLessThan(500)
  })
})
