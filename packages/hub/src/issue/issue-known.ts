/** Issues a token to a request that was permitted before, and waits for nothing. */

import type { UnixSeconds } from '@latchkey/protocol'
import { hasExpired } from '../identity/identify-caller.ts'
import type { Minted } from '../minting/mint-token.ts'
import type { Issuing } from './issue-token.ts'
import type { KnownRequest } from './known-requests.ts'

export interface IssuedAgain {
  readonly minted: Minted
  readonly request: KnownRequest
}

/**
 * The decision would say the same again: what it follows from has not changed since, except the time, which is compared
 * here. Undefined where it might say anything else, and nothing is counted then: `issueToken` decides and tells why.
 */
export function issueKnown(
  key: string,
  now: UnixSeconds,
  issuing: Issuing,
): IssuedAgain | undefined {
  const recalled = issuing.known.recall(key)
  if (recalled === undefined) return undefined
  const { request, learned } = recalled
  const { hubTokenId, token } = request
  if (hasExpired(request, now) || issuing.followKeys() !== undefined) return undefined
  if (!(issuing.canSign() && issuing.isFresh(learned))) return undefined
  if (issuing.limits.forHubToken(hubTokenId) !== undefined) return undefined
  issuing.noteUse(hubTokenId, now)
  return { minted: token.mint(now), request }
}
