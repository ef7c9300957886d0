/** The queue of verifications is short, works on few at once, and goes round by network. */

import { expect, test } from 'vitest'
import { verificationQueue } from '../../src/token/verify-bearer.ts'

/** Work that ends when it is told to, and a note of what has begun. */
function works() {
  const begun: string[] = []
  const endings: (() => void)[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => endings.push(() => resolve(name)))
  }
  const endOne = async () => {
    endings.shift()?.()
    await new Promise((done) => setImmediate(done))
  }
  return { begun, work, endOne }
}

test('only so many are worked on at once', async () => {
  const { begun, work, endOne } = works()
  const queue = verificationQueue({ atOnce: 2, waitingOfOne: 9, waitingInAll: 9 })
  for (const name of ['1', '2', '3', '4']) queue('a', work(name))
  expect(begun).toEqual(['1', '2'])
  await endOne()
  expect(begun).toEqual(['1', '2', '3'])
  for (const name of ['5', '6', '7']) queue('a', work(name))
  await endOne()
  expect(begun).toEqual(['1', '2', '3', '4'])
  await endOne()
  expect(begun).toEqual(['1', '2', '3', '4', '5'])
})

test('it forgets a network of which nothing waits any more', async () => {
  const { begun, work, endOne } = works()
  const queue = verificationQueue({ atOnce: 1, waitingOfOne: 9, waitingInAll: 9 })
  queue('a', work('a1'))
  await endOne()
  queue('b', work('b1'))
  expect(begun).toEqual(['a1', 'b1'])
})

test('the newcomer is turned away when too many of its network wait, or too many in all', () => {
  const { begun, work } = works()
  const queue = verificationQueue({ atOnce: 1, waitingOfOne: 2, waitingInAll: 3 })
  for (const name of ['1', '2', '3']) expect(queue('a', work(name))).toBeDefined()
  expect(queue('a', work('4'))).toBeUndefined()
  expect(queue('b', work('5'))).toBeDefined()
  expect(queue('c', work('6'))).toBeUndefined()
  expect(begun).toEqual(['1'])
})

// conformance: Attacks / 44. An attacker locks out other clients of an address with forged tokens
test('networks take turns, however many of one wait', async () => {
  const { begun, work, endOne } = works()
  const queue = verificationQueue({ atOnce: 1, waitingOfOne: 9, waitingInAll: 99 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) queue('a', work(name))
  for (const name of ['b1', 'b2']) queue('b', work(name))
  for (let count = 0; count < 5; count += 1) await endOne()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
})

test('work that fails makes room for the next, and its failure reaches the one who asked', async () => {
  const queue = verificationQueue({ atOnce: 1, waitingOfOne: 9, waitingInAll: 9 })
  const failing = queue('a', () => Promise.reject(new Error('broken')))
  const next = queue('a', async () => 'done')
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('done')
})
