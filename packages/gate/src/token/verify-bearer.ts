/** A bearer credential becomes a grant; a token that was seen before is not verified again. */

import { hash } from 'node:crypto'
import { type Clock, type Refusal, readBearer, type UnixSeconds } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/addresses'
import { GrowingCache } from '@latchkey/service/limits/cache'
import { limiter, tooMany } from '@latchkey/service/limits/rate-limiter'
import { TurnQueue } from '@latchkey/service/limits/turn-queue'
import { areRequestsApart } from '@latchkey/service/machine/runtime'
import type { Stopwatch } from '@latchkey/service/machine/time'
import { type InvalidToken, type KeySet, maxTokenLength, verifyToken } from '@latchkey/token'
import { type Grant, grantOf } from '../grant/grant.ts'
import type { KeySource } from '../keys/key-source.ts'
import { gateNotReady, keyNotConfirmed, tokenInvalid, tokenMissing } from './token-refusals.ts'

interface Verifying {
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
  now: UnixSeconds,
) => Grant | Refusal | Promise<Grant | Refusal>

/** No header with a token of ours is longer. */
const maxHeaderLength = 'Bearer '.length + maxTokenLength

/** About 1 KiB each. */
export const maxSeen = 20_000

export function bearerVerifier(verifying: Verifying, most = maxSeen): VerifyBearer {
  const { keys, leewaySeconds, failures } = verifying
  const cachedGrants = new GrowingCache<string, Grant>({ most })
  const look = verifyOnce(verifying, cachedGrants)
  const lookWithNewestKeys = newestKeys(keys)

  const verify = async (unseen: Unseen) => {
    if (keys.known() === undefined) await keys.refresh()
    const found = await lookWithNewestKeys(unseen, (keySet) =>
      failures.verify(unseen.address, () => look(unseen, keySet)),
    )
    if (typeof found !== 'string') return found
    const limited = found === 'forged' ? failures.count(unseen.address) : undefined
    return limited ?? tokenInvalid(found)
  }
  return (authorization, address, now) => {
    const [header = '', second] = authorization
    // Neither header nor token is kept: whoever reads this memory finds nothing to use.
    const digest = header.length <= maxHeaderLength ? hash('sha256', header, 'binary') : ''
    const before = second === undefined ? cachedGrants.get(digest) : undefined
    if (before !== undefined && keys.known()?.has(before.kid) === true) {
      const reason = outOfTime(before, now, leewaySeconds)
      return reason === undefined ? before : tokenInvalid(reason, before.tokenId)
    }
    const bearer = readBearer(authorization)
    if (bearer === 'missing') return tokenMissing
    if (bearer === 'malformed' || bearer.token.length > maxTokenLength) {
      return tokenInvalid('malformed')
    }
    return verify({ token: bearer.token, digest, address, wasGood: before !== undefined })
  }
}

/** A clock that is set back makes a token one of the future again. */
function outOfTime(
  { issuedAt, expiresAt }: Grant,
  now: UnixSeconds,
  leewaySeconds: number,
): InvalidToken | undefined {
  if (issuedAt > now + leewaySeconds) return 'not_yet_issued'
  return expiresAt + leewaySeconds <= now ? 'expired' : undefined
}

interface Unseen {
  readonly token: string
  readonly digest: string
  readonly address: string | undefined
  /** It was verified before, with a key that the hub has withdrawn since. */
  readonly wasGood: boolean
}

/** The result for a token: a grant to remember, or the reason why it is invalid. */
type Found = Grant | InvalidToken | Refusal

/** Requests that bring the same unseen token at once share one verification. */
function verifyOnce(
  { clock, issuer, audience, leewaySeconds }: Verifying,
  cachedGrants: GrowingCache<string, Grant>,
): (unseen: Unseen, keys: KeySet) => Promise<Found> {
  const underWay = new Map<string, { readonly keys: KeySet; readonly found: Promise<Found> }>()
  const verify = async ({ token, digest }: Unseen, keys: KeySet): Promise<Found> => {
    const expected = { keys, issuer, audience, leewaySeconds, now: clock() }
    const verified = await verifyToken(token, expected)
    if (!verified.ok) {
      const { reason, tokenId } = verified
      return tokenId === undefined ? reason : tokenInvalid(reason, tokenId)
    }
    const found = grantOf(verified.claims, verified.kid)
    cachedGrants.set(digest, found)
    return found
  }
  return async (unseen, keys) => {
    const { digest } = unseen
    // Verified while this one waited in the queue.
    const before = cachedGrants.get(digest)
    if (before !== undefined && keys.has(before.kid)) return before
    const shared = underWay.get(digest)
    if (shared?.keys === keys && !areRequestsApart) return shared.found
    const found = verify(unseen, keys).finally(() => underWay.delete(digest))
    underWay.set(digest, { keys, found })
    return found
  }
}

/** An unknown key may be a new one: it is refused once the hub was asked after the token came, and did not have it. */
function newestKeys(keys: KeySource) {
  return async (
    { wasGood }: Unseen,
    look: (keySet: KeySet) => Promise<Found | Refusal>,
  ): Promise<Found | Refusal> => {
    let newest = keys.known()
    if (newest === undefined) return gateNotReady
    let found = await look(newest)
    let isConfirmed = false
    // A look that was under way may have begun before the key was made. The one after it has not, whoever began it.
    for (let looks = 0; looks < 2 && found === 'unknown_key' && !isConfirmed; looks++) {
      const isAskedSince = await keys.refresh()
      const held = keys.known()
      if (held === undefined) return gateNotReady
      const isNew = held !== newest
      if (isNew) found = await look(held)
      newest = held
      isConfirmed = isAskedSince || (isNew && looks > 0)
      if (!isConfirmed && !isNew) break
    }
    return found !== 'unknown_key' || wasGood || isConfirmed ? found : keyNotConfirmed
  }
}

interface FailureLimit {
  /** Does the work of verifying: at once, or in a queue for an address over its limit. A refusal when the queue is full. */
  verify<Result>(
    address: string | undefined,
    work: () => Promise<Result>,
  ): Promise<Result | Refusal>
  /** Counts a forged token; the refusal if its address is over the limit. */
  count(address: string | undefined): Refusal | undefined
}

/** Two of the four threads that Node verifies with stay free for the other addresses. */
const bounds: VerificationBounds = { atOnce: 2, waitingOfOne: 50, waitingInAll: 1000 }

export function failureLimit(perMinute: number, stopwatch: Stopwatch): FailureLimit {
  const forged = limiter(perMinute, stopwatch)
  const queue = verificationQueue(bounds)
  const refusalAfter = (waitMs: number) =>
    tooMany(
      waitMs,
      `More than ${perMinute} storage tokens in a minute from this address were forged.`,
    )
  return {
    async verify(address, work) {
      const network = address === undefined ? undefined : networkOf(address)
      if (network === undefined || areRequestsApart) return work()
      const limited = refusalAfter(forged.wait(network))
      return limited === undefined ? work() : (queue(network, work) ?? limited)
    },
    count: (address) =>
      address === undefined ? undefined : refusalAfter(forged.take(networkOf(address))),
  }
}

interface VerificationBounds {
  readonly atOnce: number
  readonly waitingOfOne: number
  readonly waitingInAll: number
}

/** The result of the work; undefined when too much waits already, and the work is not done. */
type VerificationQueue = <Result>(
  network: string,
  work: () => Promise<Result>,
) => Promise<Result> | undefined

/** For networks that have forged too often: a long queue of one does not hold up the rest. */
export function verificationQueue(bounds: VerificationBounds): VerificationQueue {
  const waiting = new TurnQueue<() => void>()
  let running = 0
  const beginNext = () => {
    const begin = running < bounds.atOnce ? waiting.take() : undefined
    if (begin === undefined) return
    running += 1
    begin()
  }
  const end = () => {
    running -= 1
    beginNext()
  }
  return (network, work) => {
    const isFull = waiting.size >= bounds.waitingInAll
    if (isFull || waiting.sizeOf(network) >= bounds.waitingOfOne) return undefined
    return new Promise((resolve, reject) => {
      waiting.push(network, () => void work().then(resolve, reject).finally(end))
      beginNext()
    })
  }
}
