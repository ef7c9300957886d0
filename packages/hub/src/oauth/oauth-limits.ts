/** How often strangers, programs and people may ask the endpoints of the device flow. */

import { limiter, type SharedCounts } from '@latchkey/service/limits/rate-limiter'
import type { Stopwatch } from '@latchkey/service/machine/time'
import { pollSeconds } from './device-codes.ts'

/** For one network, an IPv4 address or a /64; many people may share one. */
export const oauthRequestsPerMinute = 1200
export const wrongCodesOfSession = 5
export const wrongCodesOfNetwork = 20

const hourMs = 3_600_000
/** A poll may come a little early: clocks and networks are not exact. */
const pollMs = (pollSeconds - 1) * 1000

export interface OAuthLimits {
  /** Milliseconds until another request of this network is allowed. */
  request(network: string): number
  /** The same for a poll with one device code. */
  poll(codeHash: string): number
  /** Milliseconds until this session, or its network, may enter another code; counts nothing. */
  entryWait(entry: CodeEntry): number
  wrongEntry(entry: CodeEntry): void
}

export interface CodeEntry {
  readonly sessionId: string
  readonly network: string
}

export function oauthLimits(stopwatch: Stopwatch, counts?: SharedCounts): OAuthLimits {
  const requests = limiter(oauthRequestsPerMinute, stopwatch, counts?.limit('oauth'))
  const polls = limiter(1, stopwatch, undefined, pollMs)
  const ofSession = limiter(wrongCodesOfSession, stopwatch, counts?.limit('user code'), hourMs)
  const ofNetwork = limiter(wrongCodesOfNetwork, stopwatch, counts?.limit('user codes'), hourMs)
  return {
    request: (network) => requests.take(network),
    poll: (codeHash) => polls.take(codeHash),
    entryWait: ({ sessionId, network }) =>
      Math.max(ofSession.wait(sessionId), ofNetwork.wait(network)),
    wrongEntry({ sessionId, network }) {
      ofSession.take(sessionId)
      ofNetwork.take(network)
    },
  }
}
