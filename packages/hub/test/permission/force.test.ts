/** Which refs may leave the history that they have: those that a rule names. */

import { expect, test } from 'vitest'
import { rulesNarrow } from '../../src/permission/compare-reach.ts'
import { allowsForce } from '../../src/permission/reach.ts'

const force = (pattern: string) => ({ pattern, write: 'write', allowForce: true }) as const
const plain = (pattern: string) => ({ pattern, write: 'write' }) as const

test('no ref leaves its history without a rule that says so', () => {
  expect(allowsForce([], 'refs/heads/main')).toBe(false)
  expect(allowsForce([plain('main')], 'refs/heads/main')).toBe(false)
  expect(allowsForce([force('dev/*')], 'refs/heads/main')).toBe(false)
  expect(allowsForce([force('dev/*')], 'refs/heads/dev/x')).toBe(true)
  expect(allowsForce([force('refs/tags/*')], 'refs/tags/v1')).toBe(true)
})

test('the most specific rule decides about force, and on a tie each must allow it', () => {
  const rules = [force('**'), plain('release/*')]
  expect(allowsForce(rules, 'refs/heads/dev')).toBe(true)
  expect(allowsForce(rules, 'refs/heads/release/1')).toBe(false)
  expect(allowsForce([force('dev/*'), plain('dev/**')], 'refs/heads/dev/x')).toBe(false)
})

test('rules that allow less force are a narrowing, which a restore repeats', () => {
  expect(rulesNarrow([force('dev/*')], [plain('dev/*')])).toBe(true)
  expect(rulesNarrow([force('dev/*')], [])).toBe(true)
  expect(rulesNarrow([force('**')], [force('**'), plain('main')])).toBe(true)
  expect(rulesNarrow([plain('dev/*')], [force('dev/*')])).toBe(false)
  expect(rulesNarrow([], [force('dev/*')])).toBe(false)
})
