/** The metadata of cards: what is read, and what is refused with its line. */

import { anyCharacter } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseYaml, type Yaml, YamlFlaw } from '../../src/readme/card/parse-yaml.ts'
import { rounds } from '../rounds.ts'

function read(text: string): Yaml | string {
  const parsed = parseYaml(text)
  return parsed instanceof YamlFlaw ? `line ${parsed.line} ${parsed.message}` : parsed.value
}

describe('metadata is read', () => {
  test.each<[string, string, Yaml]>([
    ['nothing', '', null],
    ['comments alone', '# a\n\n  # b', null],
    ['members', 'a: 1\nb: x y\n"c d": true\n', { a: 1, b: 'x y', 'c d': true }],
    ['words that are no booleans', 'a: no\nb: yes\nc: on', { a: 'no', b: 'yes', c: 'on' }],
    [
      'numbers',
      '[1, -2, 0.5, 1e3, 0x1f, 007, 1.2.3, 2024-01-01]',
      [1, -2, 0.5, 1000, 31, 7, '1.2.3', '2024-01-01'],
    ],
    ['a number that JSON cannot hold', 'a: 12345678901234567890', { a: '12345678901234567890' }],
    ['nulls', 'a:\nb: ~\nc: null\nd: ""', { a: null, b: null, c: null, d: '' }],
    ['a list below its key', 'a:\n- 1\n- 2\nb: 3', { a: [1, 2], b: 3 }],
    ['a list indented', 'a:\n  - 1\n  -\n  - x: 1\n    y: 2\n', { a: [1, null, { x: 1, y: 2 }] }],
    ['lists in lists', '- - 1\n  - 2\n- []', [[1, 2], []]],
    [
      'brackets',
      'a: [x, "y, z", {b: 1, c: [2]}, d: e]',
      { a: ['x', 'y, z', { b: 1, c: [2] }, { d: 'e' }] },
    ],
    ['brackets over lines', 'a: [x,  # one\n  y z\n  w,\n  ]\nb: {}', { a: ['x', 'y z w'], b: {} }],
    ['texts in quotes', `a: 'it''s'\nb: "x\\t\\u00e9\\x41\\\\"`, { a: "it's", b: 'x\té\x41\\' }],
    ['quotes over lines', 'a: "x\n  y\n\n  z"', { a: 'x y\nz' }],
    ['a joined line', 'a: "x\\\n  y"', { a: 'xy' }],
    ['a text over lines', 'a: x\n  y\n\n  z # c\nb: 1', { a: 'x y\nz', b: 1 }],
    ['a text with signs inside', 'a: x#y:z {b} [c], -d', { a: 'x#y:z {b} [c], -d' }],
    ['an address', 'a: https://example.com/x#y', { a: 'https://example.com/x#y' }],
    ['a block', 'a: |\n  x\n   y\n\n  z\n\nb: 1', { a: 'x\n y\n\nz\n', b: 1 }],
    ['a folded block', 'a: >-\n  x\n  y\n\n  z\n', { a: 'x y\nz' }],
    ['a block that keeps its end', 'a: |+\n  x\n\nb: 1', { a: 'x\n\n', b: 1 }],
    ['a block with its indentation', 'a: |2\n   x\n', { a: ' x\n' }],
    ['a block of nothing', 'a: |\nb: 1', { a: '', b: 1 }],
    [
      'a key of Object',
      '__proto__: 1\nconstructor: 2',
      JSON.parse('{"__proto__": 1, "constructor": 2}'),
    ],
    ['a key that is a number', '1: a', { 1: 'a' }],
    ['a key with a colon inside', 'a:b: c', { 'a:b': 'c' }],
    ['a key behind a question mark', '? a\n: b\n? c', { a: 'b', c: null }],
    ['anchors and aliases', 'a: &x [1, y]\nb: *x', { a: [1, 'y'], b: [1, 'y'] }],
    ['an anchor that is set again', '- &x 1\n- *x\n- &x 2\n- *x', [1, 1, 2, 2]],
    [
      'merged mappings',
      'a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\ne: {<<: [*x, {f: 4, b: 5}]}',
      { a: { b: 1, c: 2 }, d: { b: 1, c: 3 }, e: { b: 1, c: 2, f: 4 } },
    ],
    [
      'tags of the core schema',
      '- !!str 12\n- !!int "12"\n- !!float 1\n- !!bool "true"\n- !!null ""\n- !!map {}\n- !!seq []\n- ! 1',
      ['12', 12, 1, true, null, {}, [], '1'],
    ],
    [
      'results of a model',
      'model-index:\n- name: x\n  results:\n  - task:\n      type: t\n    metrics:\n    - value: 1.5\n',
      {
        'model-index': [
          { name: 'x', results: [{ task: { type: 't' }, metrics: [{ value: 1.5 }] }] },
        ],
      },
    ],
  ])('%s', (_, text, value) => {
    expect(read(text)).toEqual(value)
  })
})

const deepMembers = Array.from({ length: 100 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')

/** Each alias has ten times the values of the one above. */
const bomb = Array.from({ length: 9 }, (_, at) => {
  const before = at === 0 ? 'x' : `*a${at - 1}`
  return `a${at}: &a${at} [${Array(10).fill(before).join(', ')}]`
}).join('\n')

describe('metadata is refused', () => {
  test.each([
    ['a: 1\nb: *x', 'line 2 has the alias *x of no anchor above'],
    ['a: &x [1, *x]', 'line 1 has the alias *x inside its anchor'],
    [bomb, 'line 4 comes after more than 10000 values'],
    ['a: 1\na: 2', 'line 2 has the key "a" a second time'],
    ['{a: 1, a: 2}', 'line 1 has the key "a" a second time'],
    ['1: a\n"1": b', 'line 2 has the key "1" a second time'],
    ['{[a]: 1}', 'line 1 has a list or a mapping for a key'],
    ['a: 1\n<<: x', 'line 2 merges something that is no mapping'],
  ])('%j', (text, flaw) => {
    expect(read(text)).toBe(flaw)
  })

  test.each([
    ['a tag of a language', 'a: !!python/object x', 1],
    ['a tag of its own', 'b: 1\na: !x y', 2],
    ['a tag beyond the core schema', 'a: !!binary aGk=', 1],
    ['a text that begins with a sign', 'a: @x', 1],
    ['a colon in a text', 'a: b: c', 1],
    ['a wrong indentation', 'a:\n  b: 1\n c: 2', 3],
    ['a line without a colon', 'a: 1\nb', 2],
    ['a tab for indentation', 'a:\n\t- b', 2],
    ['an open quote', 'a: "x', 1],
    ['an open bracket', 'a: [1', 1],
    ['an unknown escape', 'a: "\\q"', 1],
    ['two documents', 'a: 1\n--- b', 2],
  ])('for %s', (_, text, line) => {
    expect(read(text)).toMatch(new RegExp(`^line ${line} cannot be read as YAML: `))
  })

  test.each([
    ['a long key', `? ${'k'.repeat(1025)}\n: 1`, 'has a key of more than 1024 characters'],
    ['deep brackets', `${'['.repeat(50)}${']'.repeat(50)}`, 'is nested deeper than 32 levels'],
    ['brackets without an end', '['.repeat(5000), 'has more than 64 brackets that are not closed'],
    ['deep items', '- '.repeat(100), 'is nested deeper than 32 levels'],
    ['deep members', deepMembers, 'is nested deeper than 32 levels'],
    ['many values', `[${'1,'.repeat(10_000)}]`, 'comes after more than 10000 values'],
    ['a long text', 'a'.repeat(2 ** 16 + 1), 'begins metadata of more than 65536 characters'],
  ])('for its size: %s', (_, text, flaw) => {
    expect(read(text)).toMatch(new RegExp(`^line \\d+ ${flaw}$`))
  })
})

describe('whatever is written', () => {
  test('JSON is read as JSON reads it', () => {
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }).filter(isPlain)
    fc.assert(
      fc.property(value, (json) => {
        expect(read(JSON.stringify(json, null, 1))).toEqual(JSON.parse(JSON.stringify(json)))
      }),
      { numRuns: rounds(100, 10_000) },
    )
  })

  test('no text makes the reader throw', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'ab:#-[]{},"\'|>&*!? \n\t\\1~', '  ', '- ', ': '),
      maxLength: 60,
    })
    fc.assert(
      fc.property(text, (given) => {
        read(given)
      }),
      { numRuns: rounds(600, 100_000) },
    )
  })
})

/** YAML reads a long number, or one with a large exponent, as a text. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(String(value))
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, one]) => key.length < 1000 && isPlain(one))
}
