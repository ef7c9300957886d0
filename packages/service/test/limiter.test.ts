/** How often one may ask, by a stopwatch moved by hand. */

import { refuse } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { limiter, tooMany } from '../src/limits/rate-limiter.ts'

function limited(perMinute: number, startMs = 0) {
  let now = startMs
  const { take: waitFor } = limiter(perMinute, () => now)
  return {
    ask: (key = 'one') => waitFor(key) === 0,
    refusal: (key = 'one') => tooMany(waitFor(key), 'Too much.'),
    wait: (ms: number) => {
      now += ms
    },
  }
}

function passed(times: number, ask: () => boolean): number {
  return Array.from({ length: times }, ask).filter(Boolean).length
}

describe('a key beyond its limit is refused', () => {
  test('once it has used up a minute at once', () => {
    const { ask } = limited(6000)
    expect(passed(6010, ask)).toBe(6000)
  })

  test('in the words given, with the wait that helps', () => {
    const { ask, refusal } = limited(2)
    passed(2, ask)
    expect(refusal()).toEqual(
      refuse('rate_limited', 'Too much. Try again in 30 s.', { retryAfterSeconds: 30 }),
    )
  })

  test('until the wait it was told is over, and not longer', () => {
    const { ask, refusal, wait } = limited(2)
    passed(2, ask)
    wait(29_999)
    expect(refusal()?.retryAfterSeconds).toBe(1)
    wait(1)
    expect(ask()).toBe(true)
    expect(ask()).toBe(false)
  })

  test.each([59_999, 59_999.5])('for a whole minute: after %f ms it is not over', (ms) => {
    const { ask, wait } = limited(1)
    expect(ask()).toBe(true)
    wait(ms)
    expect(ask()).toBe(false)
    wait(60_000 - ms)
    expect(ask()).toBe(true)
  })

  test('and asking while refused does not make the wait longer', () => {
    const { ask, wait } = limited(6)
    passed(6, ask)
    passed(1000, ask)
    wait(10_000)
    expect(passed(3, ask)).toBe(1)
  })

  test('with a wait in whole seconds, never too short', () => {
    const { ask, refusal, wait } = limited(2)
    passed(2, ask)
    wait(28_999)
    expect(refusal()?.retryAfterSeconds).toBe(2)
  })

  test('with a wait of at least a second', () => {
    const { ask, refusal } = limited(6000)
    passed(6000, ask)
    expect(refusal()?.retryAfterSeconds).toBe(1)
  })
})

describe('a key within its limit is let through', () => {
  test('without a refusal', () => {
    expect(limited(1).refusal()).toBeUndefined()
  })

  test('1500 times in a minute, all at once, by the limit of 6000', () => {
    const { ask } = limited(6000)
    expect(passed(1500, ask)).toBe(1500)
  })

  test('exactly as often as the limit says, whatever it is and whenever it begins', () => {
    for (const start of [0, 987_654_321.123]) {
      for (const limit of [1, 2, 7, 11, 13, 49, 60, 97, 333, 1001, 6000, 200_000]) {
        const { ask } = limited(limit, start)
        expect([limit, start, passed(limit + 1, ask)]).toEqual([limit, start, limit])
      }
    }
  })

  test('for ever, at an even pace', () => {
    const { ask, wait } = limited(600)
    for (let round = 0; round < 5000; round += 1) {
      expect(ask()).toBe(true)
      wait(100)
    }
  })

  test('as often as before, after a minute of silence', () => {
    const { ask, wait } = limited(10)
    expect(passed(20, ask)).toBe(10)
    wait(60_000)
    expect(passed(20, ask)).toBe(10)
    wait(600_000)
    expect(passed(20, ask)).toBe(10)
  })

  test('whatever other keys do', () => {
    const { ask } = limited(1)
    expect([ask('one'), ask('two'), ask('one'), ask('two')]).toEqual([true, true, false, false])
  })

  test('always, where the limit is 0', () => {
    const { ask } = limited(0)
    expect(passed(10_000, ask)).toBe(10_000)
  })
})

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('no more than 100000 keys are remembered, the ones unused longest forgotten', () => {
  const { ask } = limited(1)
  for (let key = 0; key < 100_000; key += 1) ask(`address ${key}`)
  expect(ask('address 0')).toBe(false)
  expect(ask('one more')).toBe(true)
  expect(ask('address 1')).toBe(true)
  expect(ask('address 99999')).toBe(false)
})
