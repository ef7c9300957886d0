/** Limits how often a key may ask, in one process or in all processes of a service together. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Stopwatch } from '../machine/time.ts'
import { GrowingCache } from './cache.ts'

const minuteMs = 60_000
const maxKeys = 100_000
/** So many processes may each let a whole allowance through before they hear of each other. */
const maxSharing = 1000

export interface Limiter {
  /** Milliseconds until one more is allowed; counts nothing. */
  wait(key: string): number
  /** The same, and counts one that need not wait; or so many, all of them or none. */
  take(key: string, count?: number): number
}

/**
 * GCRA: one number per key, the moment at which its allowance would be whole again.
 * Moments are counted in parts of a millisecond so fine that one request is a whole number of them.
 * Where the limit is shared, what the other processes let through moves that moment too, also beyond the allowance: what
 * was let through too much, before the processes heard of each other, is waited for afterwards.
 */
export function limiter(
  perWindow: number,
  stopwatch: Stopwatch,
  shared?: SharedLimit,
  windowMs: number = minuteMs,
): Limiter {
  if (perWindow === 0) return { wait: () => 0, take: () => 0 }
  const wholeAt = new GrowingCache<string, number>({ most: maxKeys })
  const allowance = windowMs * perWindow
  const maxAhead = shared === undefined ? allowance : allowance * maxSharing
  const judge = (key: string, count = 1): { readonly next: number; readonly waitMs: number } => {
    const now = Math.floor(stopwatch()) * perWindow
    const wholeSince = wholeAt.get(key) ?? 0
    // Further ahead than processes can have let through is a clock that was set back.
    const whole = wholeSince - now > maxAhead ? now : Math.max(wholeSince, now)
    const next = whole + count * windowMs
    const beyond = next - now - allowance
    return { next, waitMs: Math.max(0, beyond / perWindow) }
  }
  shared?.onOthers((key, count) => wholeAt.set(key, judge(key, count).next))
  return {
    wait: (key) => judge(key).waitMs,
    take(key, count = 1) {
      const { next, waitMs } = judge(key, count)
      if (waitMs > 0) return waitMs
      wholeAt.set(key, next)
      shared?.took(key, count)
      return 0
    },
  }
}

/** The refusal for whoever has to wait; undefined for whoever has not. */
export function tooMany(waitMs: number, what: string): Refusal | undefined {
  if (waitMs === 0) return undefined
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  return refuse('rate_limited', `${what} Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}

export interface SharedCounts {
  /** A limit of requests per minute. Each process reports once how many requests it has admitted. */
  limit(name: string): SharedLimit
}

export interface SharedLimit {
  /** Counts requests that this process has admitted. */
  took(key: string, count: number): void
  /** Calls `act` with the requests that other processes have admitted. */
  onOthers(act: (key: string, count: number) => void): void
}

/** The number of requests that one limit has admitted under a key. */
export type Count = readonly [name: string, key: string, count: number]

export interface ExchangedCounts extends SharedCounts {
  /** Gives the requests that this process has admitted since the last call. */
  takeOwn(): readonly Count[]
  /** Adds the requests that the other processes have admitted since the last call. */
  learn(counts: readonly Count[]): void
}

/** Exchanges counts between the processes of one service, so that a limit holds for all of them together. */
export function exchangedCounts(): ExchangedCounts {
  let countsByName = new Map<string, Map<string, number>>()
  const onOthers = new Map<string, (key: string, count: number) => void>()
  const took = (name: string, key: string, count: number) => {
    const keys = countsByName.get(name) ?? new Map<string, number>()
    countsByName.set(name, keys)
    keys.set(key, (keys.get(key) ?? 0) + count)
  }
  return {
    limit: (name) => ({
      took: (key, count) => took(name, key, count),
      onOthers: (act) => void onOthers.set(name, act),
    }),
    takeOwn() {
      const own = [...countsByName].flatMap(([name, keys]) =>
        Array.from(keys, ([key, count]): Count => [name, key, count]),
      )
      countsByName = new Map()
      return own
    },
    learn(counts) {
      for (const [name, key, count] of counts) onOthers.get(name)?.(key, count)
    },
  }
}
