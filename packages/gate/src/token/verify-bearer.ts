/** A bearer credential becomes a grant; a token that was seen before is not verified again. */

import { hash } from 'node:crypto'
import { type Bearer, type Clock, isRefusal, type Refusal } from '@latchkey/protocol'
import { longestToken, type Verified, verifyToken } from '@latchkey/token'
import { LRUCache } from 'lru-cache'
import { type Grant, grantOf } from '../grant/grant.ts'
import type { KeySource } from '../keys/key-source.ts'
import type { FailureLimit } from './failure-limit.ts'
import { gateNotReady, tokenInvalid, tokenMissing } from './token-refusals.ts'

export interface Verifying {
  readonly keys: KeySource
  readonly issuer: string
  readonly audience: string
  readonly leewaySeconds: number
  readonly clock: Clock
  readonly failures: FailureLimit
}

export type VerifyBearer = (bearer: Bearer, address: string | undefined) => Promise<Grant | Refusal>

interface Seen {
  readonly grant: Grant
  readonly kid: string
}

/** About 1 KiB each. */
const mostSeen = 20_000

export function bearerVerifier(verifying: Verifying): VerifyBearer {
  const { keys, clock, leewaySeconds, failures } = verifying
  const seen = new LRUCache<string, Seen>({ max: mostSeen })
  return async (bearer, address) => {
    if (bearer === 'missing') return tokenMissing
    if (bearer === 'malformed' || bearer.token.length > longestToken)
      return tokenInvalid('malformed')

    if (keys.known() === undefined) await keys.refresh()
    const known = keys.known()
    if (known === undefined) return gateNotReady

    // The token itself is not kept: whoever reads this memory finds nothing to use.
    const digest = hash('sha256', bearer.token, 'base64url')
    const before = seen.get(digest)
    if (before !== undefined && known.has(before.kid)) {
      return before.grant.expiresAt + leewaySeconds <= clock()
        ? tokenInvalid('expired')
        : before.grant
    }
    seen.delete(digest)

    const limited = failures.before(address)
    if (limited !== undefined) return limited
    const verified = await verifyWithNewestKeys(bearer.token, verifying)
    if (isRefusal(verified)) return verified
    if (!verified.ok) {
      if (verified.reason === 'forged') failures.count(address)
      return tokenInvalid(verified.reason)
    }
    const grant = grantOf(verified.claims)
    seen.set(digest, { grant, kid: verified.kid })
    return grant
  }
}

/** An unknown key may be a new one. */
async function verifyWithNewestKeys(
  token: string,
  { keys, clock, ...expected }: Verifying,
): Promise<Verified | Refusal> {
  const first = keys.known()
  if (first === undefined) return gateNotReady
  const verified = await verifyToken(token, { ...expected, keys: first, now: clock() })
  if (verified.ok || verified.reason !== 'unknown_key') return verified
  await keys.refresh()
  const newest = keys.known()
  if (newest === undefined) return gateNotReady
  return newest === first
    ? verified
    : verifyToken(token, { ...expected, keys: newest, now: clock() })
}
