import { expect, test } from 'vitest'
import { TurnQueue } from '../src/limits/turn-queue.ts'

function taken(queue: TurnQueue<string>): string[] {
  const items: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item)
  return items
}

test('flows take turns, and the items of a flow stay in their order', () => {
  const queue = new TurnQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'c2']) queue.push(item.charAt(0), item)
  expect(queue.size).toBe(7)
  expect(taken(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4'])
  expect([queue.size, queue.take()]).toEqual([0, undefined])
})

test('a flow that comes while another has thousands is next but one', () => {
  const queue = new TurnQueue<string>()
  for (let number = 0; number < 5000; number += 1) queue.push('many', `m${number}`)
  for (let number = 0; number < 100; number += 1) {
    queue.take()
    queue.push('few', 'f')
    expect([queue.take(), queue.take()]).toContain('f')
  }
  expect(taken(queue).slice(-1)).toEqual(['m4999'])
})
