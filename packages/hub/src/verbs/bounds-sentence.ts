/** The sentence that says how soon gates and storages refuse storage tokens that were taken back. */

import { boundsOf, pollPatienceSeconds } from '@latchkey/protocol'

/** `tokens` names them. */
export function boundsSentence(tokens: string): string {
  const { normalSeconds, withheldSeconds } = boundsOf()
  return [
    `Within ${normalSeconds} s by default gates and storages refuse ${tokens}.`,
    `One with a longer revocations.pollSeconds takes that and ${pollPatienceSeconds} s, one that cannot reach the hub ${withheldSeconds} s.`,
    'One that was told to admit without news refuses none until it reaches the hub.',
  ].join(' ')
}
