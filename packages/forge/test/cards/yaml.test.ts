/** The metadata of cards: what is read, and what is refused with its line. */

import { anyCharacter } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseYaml } from '../../src/cards/parse-yaml.ts'
import { YamlFlaw } from '../../src/cards/yaml-lines.ts'
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

describe('metadata is refused', () => {
  test.each([
    ['a: &x 1', 'line 1 has an anchor, which is not supported. Write the value out'],
    [
      'a: 1\nb: *x',
      'line 2 has an alias, which is not supported. Write the value out, or put it in quotes',
    ],
    ['a: !!python/object x', 'line 1 has a tag, which is not supported. Put a text in quotes'],
    ['? a\n: b', 'line 1 has a key that begins with "? ", which is not supported'],
    [
      '%YAML 1.2',
      'line 1 begins with a character that has a meaning of its own. Put the text in quotes',
    ],
    [
      'a: @x',
      'line 1 begins with a character that has a meaning of its own. Put the text in quotes',
    ],
    ['a: 1\na: 2', 'line 2 has the key "a" a second time'],
    ['{a: 1, a: 2}', 'line 1 has the key "a" a second time'],
    ['a: b: c', 'line 1 has a colon in a text. Put the text in quotes'],
    ['a: - b', 'line 1 begins a list behind a key. Begin it in the next line'],
    ['a: 1\n  b: 2', 'line 2 has a colon in a text. Put the text in quotes'],
    ['a:\n  b: 1\n c: 2', 'line 3 is indented too far'],
    ['a: 1\nb', 'line 2 is no member: it lacks a colon with a space behind it'],
    ['a: 1\n- b', 'line 2 is no member: it lacks a colon with a space behind it'],
    ['- a\nb: 1', 'line 2 does not belong to the lines above. Look at its indentation'],
    ['a:\n\t- b', 'line 2 is indented by a tab. Use spaces'],
    ['a: "x', 'line 1 ends before a quote is closed'],
    ["a: 'x\nb: 1", 'line 2 must be indented further, or lacks a quote'],
    ['a: [1, 2\nb: 1', 'line 2 must be indented further'],
    ['a: [1', 'line 1 ends before a bracket is closed'],
    ['a: [1 {}]', 'line 1 lacks a comma or ]'],
    [
      'a: [,]',
      'line 1 begins with a character that has a meaning of its own. Put the text in quotes',
    ],
    ['a: "x" y', 'line 1 goes on behind the end of a value'],
    ['a: "\\q"', 'line 1 has an unknown escape in double quotes'],
    ['a: "\\u12"', 'line 1 has an unknown escape in double quotes'],
    [': b', 'line 1 has no key before its colon'],
    ['a: [- b]', 'line 1 has an item of a list in brackets'],
    ['a: |x', 'line 1 has something behind | or > that is not supported'],
    ['{[a]: 1}', 'line 1 has a list or a mapping for a key'],
  ])('%j', (text, flaw) => {
    expect(read(text)).toBe(flaw)
  })

  test.each([
    ['a long key', `${'k'.repeat(1025)}: 1`, 'has a key of more than 1024 characters'],
    ['deep brackets', '['.repeat(100), 'is nested deeper than 32 levels'],
    ['deep items', '- '.repeat(100), 'is nested deeper than 32 levels'],
    ['deep members', deepMembers, 'is nested deeper than 32 levels'],
    ['many values', `[${'1,'.repeat(10_000)}]`, 'comes after more than 10000 values'],
    ['a long text', 'a'.repeat(2 ** 18 + 1), 'begins metadata of more than 262144 characters'],
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

/** YAML reads a long number, or one with a large exponent, as a text. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(String(value))
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, one]) => key.length < 1000 && isPlain(one))
}
