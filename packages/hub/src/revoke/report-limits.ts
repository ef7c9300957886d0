/** What strangers may make a hub do with reports: bounded for one network and in all. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/client-address'
import { limiter, type Stopwatch, tooMany } from '@latchkey/service/limiter'

/** For one network: an IPv4 address, or a /64. */
export const reportsPerMinute = 120
export const tokensPerMinute = 10_000
export const mostOfOneNetwork = 8

/** In all. A body is 1 MiB at most, a token takes 90 µs to verify. */
export const tokensPerMinuteInAll = 60_000
export const mostInAll = 64
export const mostTokensInAll = 4000

export interface ReportLimits {
  /** To be freed with `leave` once the report is answered; or the refusal, before anything of the body is read. */
  enter(address: string): Entered | Refusal
}

export interface Entered {
  /** Counts the tokens of the report; or the refusal. */
  bring(tokens: number): Refusal | undefined
  leave(): void
}

export function reportLimits(stopwatch: Stopwatch): ReportLimits {
  const reports = limiter(reportsPerMinute, stopwatch)
  const tokens = limiter(tokensPerMinute, stopwatch)
  const allTokens = limiter(tokensPerMinuteInAll, stopwatch)
  const waiting = { reports: new Map<string, number>(), inAll: 0, tokens: 0 }

  const count = (network: string, change: 1 | -1) => {
    waiting.inAll += change
    const own = (waiting.reports.get(network) ?? 0) + change
    if (own === 0) waiting.reports.delete(network)
    else waiting.reports.set(network, own)
  }
  const refuseTokens = (network: string, number: number): Refusal | undefined => {
    if (waiting.tokens + number > mostTokensInAll) return full
    return (
      tooMany(
        tokens.take(network, number),
        `More than ${tokensPerMinute} tokens in a minute were reported from this address.`,
      ) ??
      tooMany(
        allTokens.take('all', number),
        `More than ${tokensPerMinuteInAll} tokens in a minute were reported here.`,
      )
    )
  }
  return {
    enter(address) {
      const network = networkOf(address)
      const limited = tooMany(
        reports.take(network),
        `More than ${reportsPerMinute} reports in a minute came from this address.`,
      )
      if (limited !== undefined) return limited
      const isFull =
        waiting.inAll >= mostInAll || (waiting.reports.get(network) ?? 0) >= mostOfOneNetwork
      if (isFull) return full
      count(network, 1)
      let brought = 0
      return {
        bring(number) {
          const refusal = refuseTokens(network, number)
          if (refusal !== undefined) return refusal
          brought = number
          waiting.tokens += number
          return undefined
        },
        leave() {
          count(network, -1)
          waiting.tokens -= brought
        },
      }
    },
  }
}

const full = refuse(
  'not_ready',
  'Too many reports wait already, so nothing of this one was taken back. Send it again in 1 s.',
  { retryAfterSeconds: 1 },
)
