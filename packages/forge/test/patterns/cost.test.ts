/** Patterns cannot make matching slow, whatever they are. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filterOf, parseAttributes } from '../../src/patterns/attributes.ts'
import { compileGlob, matchesGlob, newBudget } from '../../src/patterns/glob.ts'
import { isIgnored, parseIgnore } from '../../src/patterns/ignore.ts'
import { refuseLongPatterns } from '../../src/patterns/pattern-lines.ts'
import { rounds } from '../rounds.ts'

describe('matching', () => {
  test('takes steps in proportion to pattern and path, not to the ways to read them', () => {
    const budget = newBudget()
    const before = budget.steps
    const stars = compileGlob(`${'*a'.repeat(500)}b`)
    expect(matchesGlob(stars, 'a'.repeat(4096), budget)).toBe(false)
    expect(before - budget.steps).toBeLessThan(1001 * 4097)
  })

  test('ends when its steps are spent', () => {
    const budget = { steps: 1000 }
    expect(matchesGlob(compileGlob('*a'.repeat(500)), 'a'.repeat(4096), budget)).toBe(false)
    expect(budget.steps).toBeLessThan(0)
    expect(budget.steps).toBeGreaterThan(-10_000)
  })

  test('is refused for texts that are too long', () => {
    const line = 'a'.repeat(8192)
    expect(refuseLongPatterns('.gitignore', `${line}\n`.repeat(127))).toBeUndefined()
    expect(refuseLongPatterns('.gitignore', `${line}a`)?.detail).toBe(
      '.gitignore has a line of more than 8192 letters.',
    )
    expect(refuseLongPatterns('.gitignore', 'é'.repeat(2 ** 20))?.detail).toBe(
      '.gitignore is longer than 1048576 bytes. Use wildcards.',
    )
    expect(refuseLongPatterns('.gitignore', '\n'.repeat(20_000))?.detail).toBe(
      '.gitignore has more than 20000 lines. Use wildcards.',
    )
  })

  test('follows ten thousand macros that name each other', async () => {
    const macros = Array.from({ length: 10_000 }, (_, at) => `[attr]m${at} m${at + 1}\n`).join('')
    const attributes = await parseAttributes(`${macros}[attr]m10000 filter=lfs\n* m0\n`)
    expect(filterOf(attributes, 'a', newBudget())).toBe('lfs')
    expect(
      filterOf(await parseAttributes('[attr]a b\n[attr]b a\n* a\n'), 'x', newBudget()),
    ).toBeUndefined()
  })

  test('never throws', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'[]*?\\"!-:\n a=/\0\r') }),
    )
    await fc.assert(
      fc.asyncProperty(text, text, async (given, path) => {
        filterOf(await parseAttributes(given), path, newBudget())
        isIgnored(await parseIgnore(given), path, newBudget())
      }),
      { numRuns: rounds(500, 20_000) },
    )
  })
})
