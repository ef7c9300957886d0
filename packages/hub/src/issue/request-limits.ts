/** How often one may ask: per hub token, and per address for requests that fail to authenticate. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { LRUCache } from 'lru-cache'

export interface RequestLimits {
  /** Undefined while the hub token stays within its limit. */
  forHubToken(hubTokenId: string): Refusal | undefined
  /** The same for callers without a name, who are told apart by their address. */
  forAnonymous(address: string): Refusal | undefined
  /** Counts a failure; the refusal to give instead of the 401 once there are too many. */
  forFailure(address: string): Refusal | undefined
}

export interface LimitSettings {
  readonly requestsPerMinute: number
  readonly failuresPerMinute: number
}

/** Milliseconds that only ever go forward. */
export type Stopwatch = () => number

export function requestLimits(settings: LimitSettings, stopwatch: Stopwatch): RequestLimits {
  const hubTokens = limiter(settings.requestsPerMinute, stopwatch)
  const nameless = limiter(settings.requestsPerMinute, stopwatch)
  const failures = limiter(settings.failuresPerMinute, stopwatch)
  return {
    forHubToken: (id) =>
      tooMany(
        hubTokens(id),
        `This hub token has made more than ${settings.requestsPerMinute} requests in a minute.`,
      ),
    forAnonymous: (address) =>
      tooMany(
        nameless(address),
        `More than ${settings.requestsPerMinute} requests in a minute from this address had no hub token.`,
      ),
    forFailure: (address) =>
      tooMany(
        failures(address),
        `More than ${settings.failuresPerMinute} requests in a minute from this address had no valid hub token.`,
      ),
  }
}

function tooMany(waitMs: number, what: string): Refusal | undefined {
  if (waitMs === 0) return undefined
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  return refuse('rate_limited', `${what} Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}

const windowMs = 60_000
const mostKeys = 100_000

/**
 * GCRA: one number per key, the moment at which its allowance would be whole again. Gives the wait in ms.
 * Moments are counted in parts of a millisecond so fine that one request is a whole number of them.
 */
function limiter(perMinute: number, stopwatch: Stopwatch): (key: string) => number {
  if (perMinute === 0) return () => 0
  const wholeAt = new LRUCache<string, number>({ max: mostKeys })
  return (key) => {
    const now = Math.floor(stopwatch()) * perMinute
    const next = Math.max(wholeAt.get(key) ?? 0, now) + windowMs
    const beyond = next - now - windowMs * perMinute
    if (beyond > 0) return beyond / perMinute
    wholeAt.set(key, next)
    return 0
  }
}
