import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCommit } from '../conventional-commit.ts'
import { isGreater, isVersion, nextVersion, stepOf, type Version } from '../version.ts'

const part = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 1e9 - 2 }))
const version = fc.tuple(part, part, part).map((parts) => parts.join('.') as Version)
const steps = ['major', 'minor', 'patch'] as const

test.each([
  '',
  '1',
  '1.2',
  '1.2.3.4',
  'v1.2.3',
  '01.2.3',
  '1.2.3-rc.1',
  '1.2.3+4',
  '1.2.x',
  ' 1.2.3',
])('%j is no version', (text) => expect(isVersion(text)).toBe(false))

test('every step leads to a greater version, and never back', () => {
  fc.assert(
    fc.property(version, fc.constantFrom(...steps), (from, step) => {
      const to = nextVersion(from, step)
      expect([isVersion(from), isVersion(to)]).toEqual([true, true])
      expect([isGreater(to, from), isGreater(from, to), isGreater(from, from)]).toEqual([
        true,
        false,
        false,
      ])
    }),
  )
})

test('a greater step leads to a greater version', () => {
  fc.assert(
    fc.property(version, (from) => {
      const [major, minor, patch] = steps.map((step) => nextVersion(from, step))
      expect(major && minor && isGreater(major, minor)).toBe(true)
      expect(minor && patch && isGreater(minor, patch)).toBe(true)
    }),
  )
})

test('numbers are compared as numbers', () => {
  expect(isGreater('0.10.0', '0.9.0')).toBe(true)
  expect(isGreater('1.0.0', '0.99.99')).toBe(true)
})

// biome-ignore format: a table is read by its columns
test.each([
  ['1.2.3', ['fix: it'],               '1.2.4'],
  ['1.2.3', ['docs: it'],              '1.2.4'],
  ['1.2.3', ['fix: it', 'feat: it'],   '1.3.0'],
  ['1.2.3', ['fix!: it', 'feat: it'],  '2.0.0'],
  ['0.2.3', ['fix!: it'],              '0.3.0'],
  ['0.2.3', ['feat: it'],              '0.3.0'],
  ['0.2.3', ['a merge or so'],         '0.2.4'],
] as const)('after %s, %j makes %s', (from, messages, to) => {
  const commits = messages.map((message) => readCommit('0', message))
  expect(nextVersion(from, stepOf(commits, from))).toBe(to)
})
