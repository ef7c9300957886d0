/** Randomness and the ids made from it. */

import { describe, expect, test } from 'vitest'
import { idsFrom, newId, pooledRandom, type RandomBytes } from '../src/machine/random.ts'

describe('pooled randomness', () => {
  test('does not give more bytes at once than it can', () => {
    expect(() => pooledRandom()(8193)).toThrow(RangeError)
  })

  test('gives as many bytes as asked for, never the same ones, across many portions', () => {
    const random = pooledRandom()
    const seen = new Set<string>()
    for (let round = 0; round < 2000; round += 1) {
      const bytes = random(16)
      expect(bytes).toHaveLength(16)
      seen.add(bytes.toString('hex'))
    }
    expect(seen.size).toBe(2000)
  })

  test('gives a whole portion, and another', () => {
    const random = pooledRandom()
    expect(random(8192).equals(random(8192))).toBe(false)
    expect(random(1)).toHaveLength(1)
  })

  test('hands out bytes that nothing changes later', () => {
    const random = pooledRandom()
    const first = random(32)
    const copy = Buffer.from(first)
    for (let round = 0; round < 600; round += 1) random(32)
    expect(first.equals(copy)).toBe(true)
    expect(first.equals(Buffer.alloc(32))).toBe(false)
  })
})

describe('an id', () => {
  test('is 26 letters and digits, five random bits each', () => {
    const bytes = Buffer.from(Array.from({ length: 26 }, (_, at) => at * 9))
    const letters = 'abcdefghijklmnopqrstuvwxyz234567'
    const expected = [...bytes].map((byte) => letters.charAt(byte % 32)).join('')
    expect(newId((length) => bytes.subarray(0, length))).toBe(expected)
  })

  test.each([
    ['made alone', (random: RandomBytes) => () => newId(random)],
    ['made among many', idsFrom],
  ])('is another one every time, %s', (_, source) => {
    const next = source(pooledRandom())
    const ids = new Set(Array.from({ length: 5000 }, () => next()))
    expect(ids.size).toBe(5000)
    for (const id of ids) expect(id).toMatch(/^[a-z2-7]{26}$/)
  })

  test('made among many has the bytes that one made alone would have', () => {
    const counting = (): RandomBytes => {
      let at = 0
      return (length) => Buffer.from(Array.from({ length }, () => at++ * 7))
    }
    const [alone, next] = [counting(), idsFrom(counting())]
    for (let round = 0; round < 200; round += 1) expect(next()).toBe(newId(alone))
  })
})
