/** What a cache keeps once it is full, and what it never does. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GrowingCache } from '../src/limits/cache.ts'

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n)

function filled(most: number, keys: readonly number[]) {
  const cache = new GrowingCache<number, string>({ most })
  for (const key of keys) cache.set(key, `value ${key}`)
  const kept = (among: readonly number[]) => among.filter((key) => cache.get(key) !== undefined)
  return { cache, kept }
}

describe('a full cache', () => {
  test('forgets the oldest of the values that were never asked for', () => {
    expect(filled(3, numbers(5)).kept(numbers(5))).toEqual([2, 3, 4])
  })

  test('keeps what is asked for again and again, whatever else comes', () => {
    const { cache, kept } = filled(4, [0])
    for (const key of numbers(1000, 1)) {
      cache.set(key, 'other')
      expect(kept([0])).toEqual([0])
    }
  })

  test('keeps what was replaced by a value of the same size', () => {
    const { cache, kept } = filled(3, numbers(3))
    cache.set(0, 'again')
    cache.set(3, 'new')
    expect(kept(numbers(4))).toEqual([0, 2, 3])
    expect(cache.get(0)).toBe('again')
  })

  test('passes over ten values at most for a new one, although all were asked for', () => {
    const { cache, kept } = filled(1000, numbers(1000))
    kept(numbers(1000))
    cache.set(1000, 'new')
    expect(kept(numbers(1001))).toEqual(numbers(1001).filter((key) => key !== 10))
  })

  test('removes in one step what a large value needs', () => {
    const cache = new GrowingCache<string, number>({ most: 10, sizeOf: (size) => size })
    for (const key of ['a', 'b', 'c', 'd', 'e']) cache.set(key, 2)
    cache.set('large', 7)
    expect(['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      2,
    ])
    expect(cache.get('large')).toBe(7)
  })
})

test('a value that is larger than the cache is not kept, and ends the one before it', () => {
  const cache = new GrowingCache<string, number>({ most: 10, sizeOf: (size) => size })
  cache.set('a', 2)
  cache.set('b', 2)
  cache.set('a', 11)
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 2])
})

test('a new cache takes no room for the values it may have later', () => {
  const { kept } = filled(Number.MAX_SAFE_INTEGER, numbers(3))
  expect(kept(numbers(3))).toEqual([0, 1, 2])
})

const key = fc.integer({ min: 0, max: 12 })
const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('set' as const), key, size: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ does: fc.constantFrom('get', 'delete'), key }),
    fc.record({ does: fc.constant('clear' as const) }),
  ),
  { maxLength: 200 },
)

test('whatever is done, it gives the value set last or none, and never holds more than it may', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 30 }), (all, most) => {
      const cache = new GrowingCache<number, { size: number }>({ most, sizeOf: ({ size }) => size })
      const last = new Map<number, { size: number }>()
      for (const step of all) {
        if (step.does === 'set') {
          const value = { size: step.size }
          last.set(step.key, value)
          cache.set(step.key, value)
          expect(cache.get(step.key)).toBe(step.size > most ? undefined : value)
        } else if (step.does === 'clear') {
          last.clear()
          cache.clear()
        } else if (step.does === 'delete') {
          last.delete(step.key)
          cache.delete(step.key)
        } else {
          cache.get(step.key)
        }
        const kept = numbers(13).map((each) => [cache.get(each), last.get(each)] as const)
        for (const [found, value] of kept) if (found !== undefined) expect(found).toBe(value)
        const held = kept.reduce((sum, [found]) => sum + (found?.size ?? 0), 0)
        expect(held).toBeLessThanOrEqual(most)
      }
    }),
  )
})
