/** A bearer credential becomes a grant; a token that was seen before is not verified again. */

import { hash } from 'node:crypto'
import { type Clock, isRefusal, type Refusal, readBearer } from '@latchkey/protocol'
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

/** Takes every Authorization header of a request; answers at once for one that was seen before. */
export type VerifyBearer = (
  authorization: readonly string[],
  address: string | undefined,
) => Grant | Refusal | Promise<Grant | Refusal>

interface Seen {
  readonly grant: Grant
  readonly kid: string
}

/** No header with a token of ours is longer. */
const longestHeader = 'Bearer '.length + longestToken

/** About 1 KiB each. */
const mostSeen = 20_000

export function bearerVerifier(verifying: Verifying): VerifyBearer {
  const { keys, clock, leewaySeconds, failures } = verifying
  const seen = new LRUCache<string, Seen>({ max: mostSeen })

  const verify = async (token: string, digest: string, address: string | undefined) => {
    if (keys.known() === undefined) await keys.refresh()
    const limited = failures.before(address)
    if (limited !== undefined) return limited
    const verified = await verifyWithNewestKeys(token, verifying)
    if (isRefusal(verified)) return verified
    if (!verified.ok) {
      if (verified.reason === 'forged') failures.count(address)
      return tokenInvalid(verified.reason)
    }
    const grant = grantOf(verified.claims)
    seen.set(digest, { grant, kid: verified.kid })
    return grant
  }
  return (authorization, address) => {
    const [header = '', second] = authorization
    // Neither header nor token is kept: whoever reads this memory finds nothing to use.
    const digest = header.length <= longestHeader ? hash('sha256', header, 'latin1') : ''
    const before = second === undefined ? seen.get(digest) : undefined
    if (before !== undefined && keys.known()?.has(before.kid) === true) {
      const isOver = before.grant.expiresAt + leewaySeconds <= clock()
      return isOver ? tokenInvalid('expired') : before.grant
    }
    const bearer = readBearer(authorization)
    if (bearer === 'missing') return tokenMissing
    if (bearer === 'malformed' || bearer.token.length > longestToken) {
      return tokenInvalid('malformed')
    }
    return verify(bearer.token, digest, address)
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
