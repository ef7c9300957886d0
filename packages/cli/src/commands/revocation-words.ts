/** The words in which commands state how soon a token that was taken back is refused. */

import type { WhenStale } from '@latchkey/gate'
import { boundsOf, pollPatienceSeconds } from '@latchkey/protocol'

const { normalSeconds, withheldSeconds } = boundsOf()

/** For the help of every command that judges tokens. */
export const taughtBounds = `\
A token that was taken back is refused within ${normalSeconds} s while the hub answers
(--revocations-poll-seconds and ${pollPatienceSeconds} s more), and within ${withheldSeconds} s while it does not. Then all
requests are refused, unless you say --revocations-when-stale allow.`

interface RevocationSettings {
  readonly pollSeconds: number
  readonly whenStale: WhenStale
}

export function describeBounds({ pollSeconds, whenStale }: RevocationSettings): string {
  const bounds = boundsOf(pollSeconds)
  const then = whenStale === 'reject' ? 'refused' : 'judged by its last list'
  return `tokens that were taken back are refused within ${bounds.normalSeconds} s; when the hub is silent for ${bounds.withheldSeconds} s, requests are ${then}`
}
