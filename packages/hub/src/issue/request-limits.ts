/** How often one may ask: per hub token, and per address for requests that fail to authenticate. */

import type { HubTokenId, Refusal } from '@latchkey/protocol'
import { limiter, type Stopwatch, tooMany } from '@latchkey/service/limiter'

export interface RequestLimits {
  /** Undefined while the hub token stays within its limit. */
  forHubToken(hubTokenId: HubTokenId): Refusal | undefined
  /** The same for callers without a name, who are told apart by their address. */
  forAnonymous(address: string): Refusal | undefined
  /** Counts a failure; the refusal to give instead of the 401 once there are too many. */
  forFailure(address: string): Refusal | undefined
}

export interface LimitSettings {
  readonly requestsPerMinute: number
  readonly failuresPerMinute: number
}

export function requestLimits(settings: LimitSettings, stopwatch: Stopwatch): RequestLimits {
  const hubTokens = limiter(settings.requestsPerMinute, stopwatch)
  const nameless = limiter(settings.requestsPerMinute, stopwatch)
  const failures = limiter(settings.failuresPerMinute, stopwatch)
  return {
    forHubToken: (id) =>
      tooMany(
        hubTokens.take(id),
        `This hub token has made more than ${settings.requestsPerMinute} requests in a minute.`,
      ),
    forAnonymous: (address) =>
      tooMany(
        nameless.take(address),
        `More than ${settings.requestsPerMinute} requests in a minute from this address had no hub token.`,
      ),
    forFailure: (address) =>
      tooMany(
        failures.take(address),
        `More than ${settings.failuresPerMinute} requests in a minute from this address had no valid hub token.`,
      ),
  }
}
