/** The metadata of cards: what is read, and what is refused with its line. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseYaml } from '../../src/cards/parse-yaml.ts'
import { YamlFlaw } from '../../src/cards/yaml-flaw.ts'
import type { Yaml } from '../../src/cards/yaml-value.ts'
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
    ['what no number of JSON is', '[.inf, -.inf, .nan, 1e999]', ['.inf', '-.inf', '.nan', '1e999']],
    ['a key as it is written', '007: a\n~: b\nno: c', { '007': 'a', '~': 'b', no: 'c' }],
    ['a key that merges elsewhere', '<<: {a: 1}', { '<<': { a: 1 } }],
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

const ownMeaning =
  'has a text that begins with a character of its own meaning. Put the text in quotes'
const colonInside =
  'has a text with a colon in it. Put the text in quotes, or look at the next indentation'
const noKey = 'has a key that goes on in another line, or a list where a key must be'
const misplaced = 'has something that does not belong there. Put a text in quotes'
const reason = 'cannot be read. The reason:'
const unclosed = 'Flow sequence in block collection must be sufficiently indented and end with a ]'

describe('metadata is refused', () => {
  test.each([
    ['a: &x 1', 'line 1 has an anchor, which is not supported. Write the value out'],
    [
      'a: 1\nb: *x',
      'line 2 has an alias, which is not supported. Write the value out, or put it in quotes',
    ],
    ['a: !!python/object x', 'line 1 has a tag, which is not supported. Put a text in quotes'],
    ['? a\n: b', 'line 1 has a key that begins with "? ", which is not supported'],
    ['{? a : b}', 'line 1 has a key that begins with "? ", which is not supported'],
    [
      '%YAML 1.2\n--- a',
      'line 1 has a directive, which is not supported. Put a text that begins with % in quotes',
    ],
    ['a: 1\n--- b', 'line 2 begins or ends a document. Metadata is one document'],
    ['a: 1\n...\nb: 1', 'line 2 begins or ends a document. Metadata is one document'],
    [
      '<<: *x',
      'line 1 has an alias, which is not supported. Write the value out, or put it in quotes',
    ],
    ['a: @x', `line 1 ${ownMeaning}`],
    ['a: %x', `line 1 ${ownMeaning}`],
    ['a: 1\na: 2', 'line 2 has the key "a" a second time'],
    ['{a: 1, a: 2}', 'line 1 has the key "a" a second time'],
    ['a: {b: 1,\n  "b": 2}', 'line 2 has the key "b" a second time'],
    ['a: b: c', `line 1 ${colonInside}`],
    ['a: 1\n  b: 2', `line 1 ${colonInside}`],
    ['a: - b', `line 1 ${misplaced}`],
    ['a:\n  b: 1\n c: 2', `line 3 ${reason} All mapping items must start at the same column`],
    ['a: 1\nb', `line 2 ${reason} Implicit map keys need to be followed by map values`],
    ['a: 1\n- b', `line 2 ${noKey}`],
    ['- a\nb: 1', `line 2 ${misplaced}`],
    ['a:\n\t- b', 'line 2 is indented by a tab. Use spaces'],
    ['a: "x', `line 1 ${reason} Missing closing "quote`],
    ["a: 'x\nb: 1", `line 2 ${reason} Missing closing 'quote`],
    ['a: [1, 2\nb: 1', `line 2 ${reason} ${unclosed}`],
    ['a: [1', `line 1 ${reason} ${unclosed}`],
    ['a: [1 {}]', `line 1 ${reason} Missing , or : between flow sequence items`],
    ['a: [,]', `line 1 ${misplaced}`],
    ['a: "x" y', `line 1 ${misplaced}`],
    ['a: "x"#y', 'line 1 has no space before its #. Put the text in quotes'],
    ['a: "\\q"', 'line 1 has an unknown escape in double quotes'],
    ['a: "\\u12"', 'line 1 has an unknown escape in double quotes'],
    [': b', 'line 1 has no key before its colon'],
    ['a: [- b]', `line 1 ${noKey}`],
    ['a: |x', `line 1 ${misplaced}`],
    ['{[a]: 1}', 'line 1 has a list or a mapping for a key'],
    ['a\n b: 1', `line 1 ${noKey}`],
  ])('%j', (text, flaw) => {
    expect(read(text)).toBe(flaw)
  })

  test.each([
    ['a long key', `${'k'.repeat(1025)}: 1`, 'has a key of more than 1024 characters'],
    [
      'a long key in brackets',
      `{"${'k'.repeat(1025)}": 1}`,
      'has a key of more than 1024 characters',
    ],
    ['deep brackets', '['.repeat(100), 'is nested deeper than 32 levels'],
    ['deep items', '- '.repeat(100), 'is nested deeper than 32 levels'],
    ['deep members', deepMembers, 'is nested deeper than 32 levels'],
    ['many lines', '\n'.repeat(100_000), 'comes after more than 100000 lines'],
    ['many signs', `[${'[],'.repeat(110_000)}`, 'comes after more than 300000 words and signs'],
    ['many values', `[${'1,'.repeat(60_000)}]`, 'comes after more than 50000 values'],
    ['a long text', 'a'.repeat(2 ** 20 + 1), 'begins metadata of more than 1048576 characters'],
  ])('for its size: %s', (_, text, flaw) => {
    expect(read(text)).toMatch(new RegExp(`^line \\d+ ${flaw}$`))
  })
})

describe('whatever is written', () => {
  test('JSON is read as JSON reads it', () => {
    const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }).filter(isPlain)
    fc.assert(
      fc.property(value, (json) => {
        expect(read(JSON.stringify(json, null, 1))).toEqual(JSON.parse(JSON.stringify(json)))
      }),
      { numRuns: rounds(300, 10_000) },
    )
  })

  test('nothing throws or takes long', () => {
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

  // Such a text takes less than a second of CPU time, and minutes where the cost is quadratic.
  test.each([
    ['opening brackets', megabyteOf('[')],
    ['opening mappings', megabyteOf('{a: ')],
    ['brackets side by side', megabyteOf('[]')],
    ['items of items', megabyteOf('- ')],
    ['colons', megabyteOf(': ')],
    ['lists of lists', `[${megabyteOf('[[],[]],')}`],
    ['anchors', Array.from({ length: 50_000 }, (_, at) => `- &a${at} x`).join('\n')],
    ['a bomb of aliases', 'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n'],
    ['a key', `"${'k'.repeat(2 ** 20 - 10)}": 1`],
    ['comments behind lines', `a: |\n  x\n${'\n'.repeat(50_000)}${' #\n'.repeat(49_000)}b`],
    ['tabs in a block', `a: |\n  x\n${'\t\n'.repeat(99_000)}`],
    ['texts in quotes that end early', megabyteOf('- "\n').slice(0, 300_000)],
  ])('is refused at a cost in proportion to its length: %s', (_, text) => {
    const from = process.threadCpuUsage()
    expect(parseYaml(text.slice(0, 2 ** 20))).toBeInstanceOf(YamlFlaw)
    expect(process.threadCpuUsage(from).user).toBeLessThan(8_000_000)
  })

  test('40000 keys are compared at a cost in proportion to their number', () => {
    const from = process.threadCpuUsage()
    const keys = Array.from({ length: 40_000 }, (_, at) => `key ${at}`)
    expect(Object.keys(read(keys.map((key) => `${key}: 1`).join('\n')) ?? {})).toEqual(keys)
    expect(process.threadCpuUsage(from).user).toBeLessThan(8_000_000)
  })

  test('keys of Object reach no prototype', () => {
    const value = read('__proto__: {polluted: 1}\na: {__proto__: {polluted: 1}}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(value).toEqual(
      JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}'),
    )
    expect({}).not.toHaveProperty('polluted')
  })

  test.each([
    ['spaces', ' '],
    ['tabs behind a letter', '\t'],
    ['colons', ':'],
    ['lines', '\n'],
    ['quotes', "'"],
    ['backslashes', '\\'],
    ['hashes', ' #'],
    ['brackets', '[]'],
    ['items', 'a\n  '],
  ])('a megabyte of %s is read in one pass', (_, unit) => {
    for (const start of ['a', 'a: ', 'a: "', "a: '", 'a: [', 'a: |\n  ', 'a: x\n  ']) {
      read(start + unit.repeat(2 ** 20 / unit.length / 4))
    }
  })
})

function megabyteOf(unit: string): string {
  return unit.repeat(2 ** 20 / unit.length)
}

/** YAML reads a long number, or one with a large exponent, as a text. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(String(value))
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, one]) => key.length < 1000 && isPlain(one))
}
