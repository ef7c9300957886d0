/** Work that takes time, memory or disk: every account and repository has a share of it, and the queue is bounded. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { fairQueue, type Waiting } from './fair-queue.ts'
import type { Payer } from './payer.ts'

/** In units: requests, or bytes. */
export interface ShareLimits {
  readonly inAll: number
  readonly ofAccount: number
  readonly ofRepository: number
  /** Requests of one account that may wait. */
  readonly waiting: number
  /** How long one request may wait; left out: as long as its client stays. */
  readonly waitSeconds?: number
}

export type Release = () => void

/**
 * Waits until the units are free; a request for more than a limit gets all of it. Rejects when the client disconnects,
 * refuses when too many requests of the account wait already, or when this one has waited too long.
 */
export type TakeShare = (
  payer: Payer,
  signal: AbortSignal,
  units?: number,
) => Promise<Release | Refusal>

export function shares(limits: ShareLimits): TakeShare {
  const used = usage(limits)
  const queue = fairQueue(({ payer, units }) => used.hasRoom(payer, units))
  const release = ({ payer, units }: Waiting): Release => {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      used.add(payer, -units)
      queue.beginAll()
    }
  }
  return async (payer, signal, wanted = 1) => {
    signal.throwIfAborted()
    const units = Math.min(wanted, limits.inAll, limits.ofAccount, limits.ofRepository)
    const request: Waiting = { payer, units, begin: () => used.add(payer, units) }
    if (queue.beginsAtOnce(request)) return release(request)
    if (queue.waitingOf(payer) >= limits.waiting) return tooManyWait
    const hasBegun = await queue.wait(request, { signal, seconds: limits.waitSeconds })
    return hasBegun ? release(request) : waitedTooLong
  }
}

const tooManyWait = refuse(
  'rate_limited',
  'Too many requests of this account wait for the storage already. Send fewer at once, and this one again in a few seconds.',
  { retryAfterSeconds: 5 },
)

const waitedTooLong = refuse(
  'rate_limited',
  'The storage has too much under way for this account or repository, and had no room for this request in time. Send it again in a few seconds.',
  { retryAfterSeconds: 5 },
)

/** Runs the work with a share, which is given back when the work ends. */
export async function withShare<Result>(
  taken: Promise<Release | Refusal>,
  work: () => Promise<Result>,
): Promise<Result | Refusal> {
  const release = await taken
  if (isRefusal(release)) return release
  try {
    return await work()
  } finally {
    release()
  }
}

function usage({ inAll, ofAccount, ofRepository }: ShareLimits) {
  const [accounts, repositories] = [new Map<string, number>(), new Map<string, number>()]
  let total = 0
  const of = (map: Map<string, number>, key: string) => map.get(key) ?? 0
  const put = (map: Map<string, number>, key: string, units: number) => {
    if (units === 0) map.delete(key)
    else map.set(key, units)
  }
  return {
    hasRoom: ({ account, repositoryUid }: Payer, units: number) =>
      total + units <= inAll &&
      of(accounts, account) + units <= ofAccount &&
      of(repositories, repositoryUid) + units <= ofRepository,
    add({ account, repositoryUid }: Payer, units: number) {
      total += units
      put(accounts, account, of(accounts, account) + units)
      put(repositories, repositoryUid, of(repositories, repositoryUid) + units)
    },
  }
}
