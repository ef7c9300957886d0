import { readJson } from '@latchkey/admin-api/read-json'
import { isRefusal, refuse } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  ['', 'line 1, column 1, expected a value'],
  ['{', 'line 1, column 2, expected a string in double quotes'],
  ['{"a":1,}', 'line 1, column 8, expected a string in double quotes'],
  ['{"a" 1}', 'line 1, column 6, expected a colon'],
  ['[1 2]', 'line 1, column 4, expected a comma or ]'],
  ['{"a":1 "b":2}', 'line 1, column 8, expected a comma or }'],
  ['{\n  "a": tru\n}', 'line 2, column 8, expected a value'],
  ['[01]', 'line 1, column 3, expected a comma or ]'],
  ["{'a':1}", 'line 1, column 2, expected a string in double quotes'],
  ['"a\nb"', 'line 1, column 1, expected a string without control characters or odd escapes'],
  ['"\\x"', 'line 1, column 1, expected a string without control characters or odd escapes'],
  ['"abc', 'line 1, column 1, expected a string that ends with a double quote'],
  ['{} x', 'line 1, column 4, expected the end of the text'],
])('%j is refused where it is wrong', (text, place) => {
  expect(readJson(text)).toEqual(refuse('bad_request', `This is not JSON: ${place}.`))
})

test('a member that is given twice is refused with its path and place', () => {
  expect(readJson('{"repositories":[{},{\n"branches":{"main":1,"main":2}}]}')).toEqual(
    refuse(
      'bad_request',
      'repositories[1].branches.main is given twice: keep one (line 2, column 22).',
      { path: 'repositories[1].branches.main' },
    ),
  )
  expect(readJson('{"a.b":1,"a\\u002eb":2}')).toMatchObject({ path: '["a.b"]' })
})

test('a prototype cannot be smuggled in', () => {
  expect(readJson('{"a":{"__proto__":{"x":1}}}')).toMatchObject({
    code: 'bad_request',
    path: 'a.__proto__',
  })
})

test('nesting without end is refused', () => {
  expect(readJson('['.repeat(100_000))).toMatchObject({ code: 'bad_request' })
})

test('a long string full of escapes is read', () => {
  const text = '"\\\n'.repeat(1_000_000)
  expect(readJson(JSON.stringify({ file: text }))).toEqual({ file: text })
})

test('a document that looks like a refusal is still a document', () => {
  const read = readJson('{"code":"conflict"}')
  expect(read).toEqual({ code: 'conflict' })
  expect(isRefusal(read)).toBe(false)
})

test('a byte order mark is overlooked', () => {
  expect(readJson('\uFEFF[]')).toEqual([])
})

test('what JSON.stringify writes is read back, with any white space', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, '\t'), (value, space) => {
      fc.pre(!JSON.stringify(value).includes('__proto__'))
      const text = JSON.stringify(value, null, space)
      expect(readJson(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('whatever JSON.parse refuses is refused', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '1', '-', '.', 'e', ' ')
  fc.assert(
    fc.property(fc.string({ unit: pieces, maxLength: 12 }), (text) => {
      const read = readJson(text)
      let parsed: unknown
      try {
        parsed = JSON.parse(text)
      } catch {
        expect(isRefusal(read)).toBe(true)
        return
      }
      if (isRefusal(read)) expect(read.detail).toContain('given twice')
      else expect(read).toEqual(parsed)
    }),
    { numRuns: rounds(400, 2000) },
  )
})
