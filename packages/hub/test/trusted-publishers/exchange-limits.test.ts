/** How often jobs exchange id tokens, in several hubs together. */

import { exchangedCounts } from '@latchkey/service/limits/rate-limiter'
import { expect, test } from 'vitest'
import { exchangeLimit } from '../../src/trusted-publishers/exchange-limits.ts'

const rule = (name: string) => ({ account_id: name }) as never
const repository = (uid: string, namespace_id = 'acme') => ({ uid, namespace_id }) as never

test('the limits hold for all hubs of one database together', () => {
  const counts = [exchangedCounts(), exchangedCounts()] as const
  const [one, other] = counts.map((own) => exchangeLimit(() => 0, own))
  for (let at = 0; at < 300; at += 1) expect(one?.(rule('a'), repository('x'))).toBe(0)
  expect(other?.(rule('a'), repository('x'))).toBe(0)
  counts[1].learn(counts[0].takeOwn())
  expect(other?.(rule('a'), repository('x'))).toBeGreaterThan(0)
  expect(other?.(rule('b'), repository('x'))).toBe(0)
})

test('who has to wait by one limit uses up none of the others', () => {
  const wait = exchangeLimit(() => 0)
  for (let at = 0; at < 1000; at += 1) wait(rule('busy'), repository('x'))
  for (let at = 0; at < 300; at += 1) expect(wait(rule('b'), repository('x'))).toBe(0)
  expect(wait(rule('c'), repository('x'))).toBeGreaterThan(0)
  for (let at = 0; at < 300; at += 1) expect(wait(rule('d'), repository('y'))).toBe(0)
  for (let at = 0; at < 100; at += 1) expect(wait(rule('e'), repository('y'))).toBe(0)
  expect(wait(rule('f'), repository('z'))).toBeGreaterThan(0)
  expect(wait(rule('g'), repository('other', 'beta'))).toBe(0)
})
