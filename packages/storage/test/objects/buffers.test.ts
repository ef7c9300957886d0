/** Memory for reading is used again, is bounded where clients hold it for long, and is never shared. */

import { expect, test } from 'vitest'
import { buffers } from '../../src/objects/disk/buffers.ts'

const large = 256 * 1024
const small = 64 * 1024

test('what was given back is taken again', () => {
  const memory = buffers()
  const pair = memory.take()
  memory.give(pair)
  expect(memory.take()).toBe(pair)
  expect(memory.take()).not.toBe(pair)
})

test('32 MiB are large; whoever reads beyond has small ones, which are not kept', () => {
  const memory = buffers()
  const held = Array.from({ length: 64 }, () => memory.take())
  expect(held.flat().reduce((sum, { length }) => sum + length, 0)).toBe(32 * 1024 * 1024)
  const beyond = memory.take()
  expect(beyond.map(({ length }) => length)).toEqual([small, small])
  memory.give(beyond)
  expect(memory.take()).not.toBe(beyond)
})

test('what may still be read is not taken again, and makes room for another', () => {
  const memory = buffers()
  const [first, ...held] = Array.from({ length: 64 }, () => memory.take())
  if (first === undefined) throw new Error('none was taken')
  memory.lose(first)
  const next = memory.take()
  expect([next, ...held]).not.toContain(first)
  expect(next[0].length).toBe(large)
  expect(memory.take()[0].length).toBe(small)
})
