/** Limits that several processes count together, here in one process. */

import { describe, expect, it } from 'vitest'
import { exchangedCounts, limiter } from '../src/limits/rate-limiter.ts'

function sharedLimit(perMinute: number, processes: number) {
  let nowMs = 0
  const members = Array.from({ length: processes }, () => {
    const counts = exchangedCounts()
    return { counts, ...limiter(perMinute, () => nowMs, counts.limit('asked')) }
  })
  /** How many of so many requests get through, spread evenly over the processes. */
  const passed = (requests: number, key = 'one') =>
    Array.from({ length: requests }, (_, index) => members[index % processes]?.take(key)).filter(
      (waitMs) => waitMs === 0,
    ).length
  return {
    members,
    passed,
    exchange() {
      for (const { counts } of members) {
        const own = counts.takeOwn()
        for (const other of members) if (other.counts !== counts) other.counts.learn(own)
      }
    },
    pass(ms: number) {
      nowMs += ms
    },
  }
}

describe('a limit that processes share', () => {
  it('refuses at one what the other has let through', () => {
    const { members, exchange } = sharedLimit(3, 2)
    const [one, other] = members
    expect([one?.take('key'), one?.take('key'), one?.take('key')]).toEqual([0, 0, 0])
    exchange()
    expect(other?.take('key')).toBe(20_000)
    expect(other?.wait('another key')).toBe(0)
  })

  it('is exceeded by no more than what the others let through before they hear of it', () => {
    const { passed, exchange } = sharedLimit(60, 3)
    expect(passed(600)).toBe(3 * 60)
    exchange()
    expect(passed(600)).toBe(0)
  })

  it('makes up for what was let through too much, so that over time it is kept', () => {
    const { passed, exchange, pass } = sharedLimit(60, 4)
    let all = 0
    // Ten minutes, in which far more is asked for than is allowed.
    for (let step = 0; step < 3000; step += 1) {
      all += passed(40)
      exchange()
      pass(200)
    }
    // A whole allowance for each at the beginning, and then one a second for all.
    expect(all).toBeGreaterThanOrEqual(10 * 60)
    expect(all).toBeLessThanOrEqual(10 * 60 + 60 + 4)
  })

  it('tells nothing when nothing happened, and each thing once', () => {
    const counts = exchangedCounts()
    expect(counts.takeOwn()).toEqual([])
    counts.limit('asked').took('one', 2)
    counts.limit('asked').took('one', 1)
    expect(counts.takeOwn()).toEqual([['asked', 'one', 3]])
    expect(counts.takeOwn()).toEqual([])
  })
})
