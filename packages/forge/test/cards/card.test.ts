/** Cards of repositories, and what is said about them before a commit. */

import { Script } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCard } from '../../src/readme/card/card.ts'
import { findFrontMatter, maxYamlLength } from '../../src/readme/card/front-matter.ts'
import { maxValues } from '../../src/readme/card/parse-yaml.ts'
import { validateCard } from '../../src/readme/card/validate-card.ts'
import { rounds } from '../rounds.ts'

const none = { errors: [], warnings: [] }
/** The shortest of some times is the one that other work disturbed least. Work that does not end is ended. */
function minMs(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now()
    Object.assign(globalThis, { work })
    new Script('work()').runInThisContext({ timeout: 2000 })
    return performance.now() - start
  })
  return Math.min(...times)
}

const missing = { message: 'The card has no metadata between two lines of ---.' }

describe('the metadata of a README.md', () => {
  test.each([
    ['---\na: 1\n---\n# Title', { yaml: 'a: 1', linesBefore: 1, body: '# Title' }],
    ['\ufeff\r\n---\r\na: 1\r\n---', { yaml: 'a: 1', linesBefore: 2, body: '' }],
    ['---\n---\nx', { yaml: '', linesBefore: 1, body: 'x' }],
    ['# Title\n---\na: 1\n---', undefined],
    ['---\na: 1\n', undefined],
    ['--- a\n---\n', undefined],
    [' ---\na: 1\n---\n', undefined],
    ['\n ---\na: 1\n---\n', undefined],
    [' \n\t\r--- \na: 1\n---x\n--- \rb', { yaml: 'a: 1\n---x', linesBefore: 3, body: 'b' }],
    ['', undefined],
  ])('is found in %j', (text, block) => {
    expect(findFrontMatter(text)).toEqual(block)
  })

  test.each([
    ['line ends of Windows', '\r\n'],
    ['line ends of both kinds', '\r\n\n\r'],
    ['blanks', ' \t'],
    ['blanks and line ends', ' \r\n'],
    ['dashes', '-'],
    ['lines of dashes', '---\n'],
    ['dashes and blanks', '--- '],
  ])('is looked for in %s within a time that grows with their number alone', (_, part) => {
    const hostile = (length: number) =>
      ['', '---\n'].map((start) => `${start}${part.repeat(length / part.length)}x`)
    const [half, whole] = [hostile(32 * 1024), hostile(64 * 1024)]
    const [halfMs, wholeMs] = [half, whole].map((texts) => minMs(() => texts.map(findFrontMatter)))
    expect(wholeMs).toBeLessThan(3 * (halfMs ?? 0) + 20)
  })

  test('is empty where there is none', () => {
    expect(readCard('# Title')).toEqual({ data: {} })
  })
})

describe('a card', () => {
  test('is fine', () => {
    const card =
      '---\nlicense: mit\nlanguage: [en, "no"]\ntags:\n- a\nmodel-index: []\nx: {}\n---\n'
    expect(validateCard(card)).toEqual(none)
  })

  test.each(['', '# Title', '---\n---\n', '---\n# nothing\n---\n'])('is empty: %j', (card) => {
    expect(validateCard(card)).toEqual({ errors: [], warnings: [missing] })
  })

  test.each([
    ['---\ntags: a\n---\n', '"tags" must be a list of texts.'],
    ['---\ntags: [1]\n---\n', '"tags" must be a list of texts.'],
    ['---\nlicense: {}\n---\n', '"license" must be a text or a list of texts.'],
    ['---\npipeline_tag: [a]\n---\n', '"pipeline_tag" must be a text.'],
    ['---\nmodel-index: {}\n---\n', '"model-index" must be a list.'],
    ['---\n- a\n---\n', 'The metadata must be members with values.'],
    ['\n---\na: 1\nb: *x\n---\n', 'Line 4 has the alias *x of no anchor above.'],
  ])('is wrong: %j', (card, message) => {
    expect(validateCard(card)).toEqual({ errors: [{ message }], warnings: [] })
  })

  test('has as many values as the hub reads without a pause, and not one more', () => {
    const card = (values: number) => `---\ntags: [${'a,'.repeat(values)}]\n---\n`
    // The mapping, its member and the list are values, too.
    expect(validateCard(card(maxValues - 3))).toEqual(none)
    const message = `Line 2 comes after more than ${maxValues} values.`
    expect(validateCard(card(maxValues - 2)).errors).toEqual([{ message }])
  })

  test.each(['[', '{', '[{a: '])(
    'is refused before it is parsed if it nests %j too deep',
    (open) => {
      const message = 'Line 2 has more than 64 brackets that are not closed.'
      const card = (levels: number) => `---\nx: ${open.repeat(levels)}\n---\n`
      expect(validateCard(card(10_000)).errors).toEqual([{ message }])
      expect(validateCard(card(32)).errors).not.toEqual([{ message }])
    },
  )

  test('is looked at no further than its metadata may be long', () => {
    const read: string[] = []
    const longText = (text: string) =>
      Object.assign(Object(text), {
        slice(start: number, end: number) {
          read.push(text.slice(start, end))
          return read.at(-1)
        },
      }) as string
    const lines = '# a line\n'.repeat(100_000)
    expect(readCard(longText(`---\nlicense: mit\n---\n${lines}`))).toEqual({
      data: { license: 'mit' },
    })
    expect(readCard(longText(lines))).toEqual({ data: {} })
    const flaw = `The metadata has more than ${maxYamlLength} characters.`
    expect(readCard(longText(`---\n${lines}---\n`))).toEqual({ flaw })
    expect(read.map(({ length }) => length < maxYamlLength + 2000)).toEqual([true, true, true])
  })

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (yaml, body) => {
        validateCard(`---\n${yaml}\n---\n${body}`)
        validateCard(yaml)
      }),
      { numRuns: rounds(300, 10_000) },
    )
  })
})
