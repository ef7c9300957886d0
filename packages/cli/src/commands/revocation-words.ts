/** The words in which commands state how soon a token that was taken back is refused. */

import type { WhenStale } from '@latchkey/gate'
import { boundsOf, pollPatienceSeconds } from '@latchkey/protocol'

const { normalSeconds, withheldSeconds } = boundsOf()

/** For the help of every command that judges tokens. */
export const taughtBounds = `\
A revoked token is rejected within ${normalSeconds} s while the hub responds (--revocations-poll-seconds
plus ${pollPatienceSeconds} s), and within ${withheldSeconds} s while it does not. After that, all requests are rejected,
unless you pass --revocations-when-stale allow.`

interface RevocationSettings {
  readonly pollSeconds: number
  readonly whenStale: WhenStale
}

export function describeBounds({ pollSeconds, whenStale }: RevocationSettings): string {
  const bounds = boundsOf(pollSeconds)
  const then = whenStale === 'reject' ? 'rejected' : 'checked against its last list'
  return `revoked tokens are rejected within ${bounds.normalSeconds} s; when the hub does not respond for ${bounds.withheldSeconds} s, requests are ${then}`
}
