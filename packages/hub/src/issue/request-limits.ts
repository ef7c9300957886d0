import type { HubTokenId, Refusal } from '@latchkey/protocol'
import { limiter, type SharedCounts, tooMany } from '@latchkey/service/limits/rate-limiter'
import type { Stopwatch } from '@latchkey/service/machine/time'

export interface RequestLimits {
  /** Undefined while the hub token stays within its limit. */
  forHubToken(hubTokenId: HubTokenId): Refusal | undefined
  /** The same for callers without a name, who are told apart by their address. */
  forAnonymous(address: string): Refusal | undefined
  /** Counts a failure; the refusal to give instead of the 401 once there are too many. */
  forFailure(address: string): Refusal | undefined
  /** Whether an address has reached one of both limits; counts nothing. */
  isReached(address: string): boolean
}

export interface LimitSettings {
  readonly requestsPerMinute: number
  readonly failuresPerMinute: number
}

export function requestLimits(
  { requestsPerMinute, failuresPerMinute }: LimitSettings,
  stopwatch: Stopwatch,
  counts?: SharedCounts,
): RequestLimits {
  const hubTokens = limiter(requestsPerMinute, stopwatch, counts?.limit('hub token'))
  const nameless = limiter(requestsPerMinute, stopwatch, counts?.limit('anonymous'))
  const failures = limiter(failuresPerMinute, stopwatch, counts?.limit('failure'))
  return {
    forHubToken: (id) =>
      tooMany(
        hubTokens.take(id),
        `This hub token has made more than ${requestsPerMinute} requests in a minute.`,
      ),
    forAnonymous: (address) =>
      tooMany(
        nameless.take(address),
        `More than ${requestsPerMinute} requests in a minute from this address had no hub token.`,
      ),
    forFailure: (address) =>
      tooMany(
        failures.take(address),
        `More than ${failuresPerMinute} requests in a minute from this address had no valid hub token.`,
      ),
    isReached: (address) => failures.wait(address) > 0 || nameless.wait(address) > 0,
  }
}
