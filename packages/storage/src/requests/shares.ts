/** Work that takes time, memory or disk: every account and repository has a share of it, and the queue is bounded. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { fairQueue } from './fair-queue.ts'
import type { Payer } from './payer.ts'

/** In units: requests, or bytes. */
export interface ShareLimits {
  readonly inAll: number
  readonly ofAccount: number
  readonly ofRepository: number
  /** Requests of one account that may wait. */
  readonly waiting: number
}

export type Release = () => void

/**
 * Waits until the units are free; a request for more than a limit gets all of it. Rejects when the client disconnects,
 * refuses when too many requests of the account wait already.
 */
export type TakeShare = (
  payer: Payer,
  signal: AbortSignal,
  units?: number,
) => Promise<Release | Refusal>

export function shares(limits: ShareLimits): TakeShare {
  const used = usage(limits)
  const queue = fairQueue()
  const release = (payer: Payer, units: number): Release => {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      used.add(payer, -units)
      queue.beginAll(({ payer, units }) => used.hasRoom(payer, units))
    }
  }
  return async (payer, signal, wanted = 1) => {
    signal.throwIfAborted()
    const units = Math.min(wanted, limits.inAll, limits.ofAccount, limits.ofRepository)
    const begin = () => {
      used.add(payer, units)
      queue.served(payer)
    }
    if (used.hasRoom(payer, units)) begin()
    else if (queue.waitingOf(payer) >= limits.waiting) return tooManyWait
    else await queue.wait({ payer, units, begin }, signal)
    return release(payer, units)
  }
}

const tooManyWait = refuse(
  'rate_limited',
  'Too many requests of this account wait for the storage already. Send fewer at once, and this one again in a few seconds.',
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
