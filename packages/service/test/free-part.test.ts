/** The memory of what was sent is freed, unless something else may be in it. */

import { expect, test } from 'vitest'
import { freePart } from '../src/http/free-part.ts'

const read = (bytes: number) => Buffer.from(new ArrayBuffer(bytes))

test('a part with memory of its own is freed', () => {
  const part = read(65_536)
  freePart(part)
  expect(part.buffer.byteLength).toBe(0)
})

test('a part is freed together with the head before it', () => {
  const whole = read(65_536)
  freePart(whole.subarray(300))
  expect(whole.length).toBe(0)
})

test.each([
  ['has the next answer behind it', 0, 65_535],
  ['ends the second half of memory that it may share', 32_768, 65_536],
  ['is small and last', 65_000, 65_536],
])('a part that %s is left alone', (_, from, to) => {
  const whole = read(65_536).fill(7)
  freePart(whole.subarray(from, to))
  expect(whole.every((byte) => byte === 7)).toBe(true)
  expect(whole).toHaveLength(65_536)
})

test('buffers that share the pool of Node keep their bytes, whichever of them was sent', () => {
  const { poolSize } = Buffer
  const small = Array.from({ length: 200 }, (_, index) =>
    Buffer.from('x'.repeat(1 + ((index * 97) % (poolSize / 2)))),
  )
  const texts = small.map(String)
  for (const part of small.filter((_, index) => index % 2 === 0)) {
    if (part.buffer.byteLength === poolSize) freePart(part)
  }
  expect(small.map(String)).toEqual(texts)
})

test('shared memory is left alone', () => {
  const part = new Uint8Array(new SharedArrayBuffer(65_536))
  freePart(part)
  expect(part.byteLength).toBe(65_536)
})
