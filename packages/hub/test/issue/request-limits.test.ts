/** How often one may ask, by a stopwatch moved by hand. */

import { describe, expect, test } from 'vitest'
import { requestLimits } from '../../src/issue/request-limits.ts'

function limited(requestsPerMinute: number, failuresPerMinute = 0, startMs = 0) {
  let now = startMs
  const limits = requestLimits({ requestsPerMinute, failuresPerMinute }, () => now)
  return {
    ...limits,
    ask: (id = 'one') => limits.forHubToken(id) === undefined,
    fail: (address = 'here') => limits.forFailure(address) === undefined,
    wait: (ms: number) => {
      now += ms
    },
  }
}

function passed(times: number, ask: () => boolean): number {
  return Array.from({ length: times }, ask).filter(Boolean).length
}

describe('a hub token beyond its limit is refused', () => {
  test('once it has used up a minute at once', () => {
    const { ask } = limited(6000)
    expect(passed(6010, ask)).toBe(6000)
  })

  test('with the words and the wait that help', () => {
    const { forHubToken } = limited(2)
    forHubToken('one')
    forHubToken('one')
    expect(forHubToken('one')).toEqual({
      refused: 'rate_limited',
      detail: 'This hub token has made more than 2 requests in a minute. Try again in 30 s.',
      retryAfterSeconds: 30,
    })
  })

  test('until the wait it was told is over, and not longer', () => {
    const { ask, forHubToken, wait } = limited(2)
    passed(2, ask)
    wait(29_999)
    expect(forHubToken('one')?.retryAfterSeconds).toBe(1)
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
    const { ask, forHubToken, wait } = limited(2)
    passed(2, ask)
    wait(28_999)
    expect(forHubToken('one')?.retryAfterSeconds).toBe(2)
  })

  test('with a wait of at least a second', () => {
    const { ask, forHubToken } = limited(6000)
    passed(6000, ask)
    expect(forHubToken('one')?.retryAfterSeconds).toBe(1)
  })
})

describe('a hub token within its limit is let through', () => {
  test('1500 times in a minute, all at once, by the limit of 6000', () => {
    const { ask } = limited(6000)
    expect(passed(1500, ask)).toBe(1500)
  })

  test('exactly as often as the limit says, whatever it is and whenever it begins', () => {
    for (const start of [0, 987_654_321.123]) {
      for (const limit of [1, 2, 7, 11, 13, 49, 60, 97, 333, 1001, 6000, 200_000]) {
        const { ask } = limited(limit, 0, start)
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

  test('whatever other hub tokens do', () => {
    const { ask } = limited(1)
    expect([ask('one'), ask('two'), ask('one'), ask('two')]).toEqual([true, true, false, false])
  })

  test('always, where the limit is 0', () => {
    const { ask } = limited(0)
    expect(passed(10_000, ask)).toBe(10_000)
  })
})

describe('failures are counted per address', () => {
  test('apart from the requests of hub tokens', () => {
    const { ask, fail } = limited(1, 1)
    expect([ask('x'), fail('x'), ask('x'), fail('x')]).toEqual([true, true, false, false])
  })

  test('with words of their own', () => {
    const { forFailure } = limited(0, 3)
    for (let time = 0; time < 3; time += 1) forFailure('here')
    expect(forFailure('here')).toEqual({
      refused: 'rate_limited',
      detail:
        'More than 3 requests in a minute from this address had no valid hub token. Try again in 20 s.',
      retryAfterSeconds: 20,
    })
    expect(forFailure('there')).toBeUndefined()
  })
})

test('no more than 100000 keys are remembered, the ones unused longest forgotten', () => {
  const { fail } = limited(0, 1)
  for (let key = 0; key < 100_000; key += 1) fail(`address ${key}`)
  expect(fail('address 0')).toBe(false)
  expect(fail('one more')).toBe(true)
  expect(fail('address 1')).toBe(true)
  expect(fail('address 99999')).toBe(false)
})
