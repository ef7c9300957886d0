/** Limits the work that strangers cause with reports, for one network and in total. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/addresses'
import { limiter, type SharedCounts, tooMany } from '@latchkey/service/limits/rate-limiter'
import type { Stopwatch } from '@latchkey/service/machine/time'

/** For one network: an IPv4 address, or a /64. */
export const reportsPerMinute = 120
export const tokensPerMinute = 10_000
export const maxOfOneNetwork = 8

/** In all. A body is 1 MiB at most, a token takes 90 µs to verify. */
export const tokensPerMinuteInAll = 60_000
export const maxInAll = 64
export const maxTokensInAll = 4000
export const maxBytesInAll = 64 * 1024 * 1024

/** Not counted, so that large bodies keep no ordinary report out. */
export const uncountedBytes = 16 * 1024

export interface ReportLimits {
  /** To be freed with `leave` once the report is answered; or the refusal, before anything of the body is read. */
  enter(address: string): ReportAdmission | Refusal
}

export interface ReportAdmission {
  /** Counts bytes of the body that arrive; or the refusal. */
  hold(bytes: number): Refusal | undefined
  /** Counts the report and its tokens among all; or the refusal. Called with the whole body: a slow one keeps nobody out. */
  bring(tokens: number): Refusal | undefined
  leave(): void
}

export function reportLimits(stopwatch: Stopwatch, counts?: SharedCounts): ReportLimits {
  const reports = limiter(reportsPerMinute, stopwatch, counts?.limit('report'))
  const tokens = limiter(tokensPerMinute, stopwatch, counts?.limit('reported token'))
  const allTokens = limiter(tokensPerMinuteInAll, stopwatch, counts?.limit('reported in all'))
  const waiting = { ofNetwork: new Map<string, number>(), inAll: 0, tokens: 0, bytes: 0 }

  const count = (network: string, change: 1 | -1) => {
    const own = (waiting.ofNetwork.get(network) ?? 0) + change
    if (own === 0) waiting.ofNetwork.delete(network)
    else waiting.ofNetwork.set(network, own)
  }
  const refuseTokens = (network: string, number: number): Refusal | undefined => {
    if (waiting.inAll >= maxInAll || waiting.tokens + number > maxTokensInAll) return full
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
      if ((waiting.ofNetwork.get(network) ?? 0) >= maxOfOneNetwork) return full
      count(network, 1)
      const own = { isOver: false, reports: 0, tokens: 0, bytes: 0, counted: 0 }
      return {
        hold(bytes) {
          own.bytes += bytes
          const more = Math.max(0, own.bytes - uncountedBytes) - own.counted
          if (own.isOver || waiting.bytes + more > maxBytesInAll) return full
          own.counted += more
          waiting.bytes += more
          return undefined
        },
        bring(number) {
          const refusal = refuseTokens(network, number)
          if (refusal !== undefined) return refusal
          own.reports = 1
          own.tokens = number
          waiting.inAll += 1
          waiting.tokens += number
          return undefined
        },
        leave() {
          own.isOver = true
          count(network, -1)
          waiting.inAll -= own.reports
          waiting.tokens -= own.tokens
          waiting.bytes -= own.counted
        },
      }
    },
  }
}

const full = refuse(
  'not_ready',
  'Too many reports wait already, so the hub revoked no token of this one. Send it again in 1 s.',
  { retryAfterSeconds: 1 },
)
