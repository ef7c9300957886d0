/** Work that takes time, memory or disk: every account and repository has a share of it, and the queue is bounded. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { fairQueue, type Room, type Waiting } from './fair-queue.ts'
import type { Payer } from './payer.ts'

/** In units: requests, or bytes. */
export interface ShareLimits {
  readonly inAll: number
  readonly ofAccount: number
  readonly ofRepository: number
  /** Of one account in one repository; left out: no less than either. */
  readonly ofAccountInRepository?: number
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
  const { inAll, ofAccount, ofRepository, ofAccountInRepository = ofAccount } = limits
  const most = Math.min(inAll, ofAccount, ofRepository, ofAccountInRepository)
  const queue = fairQueue(used)
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
    const units = Math.min(wanted, most)
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

interface Usage extends Room {
  add(payer: Payer, units: number): void
}

function usage(limits: ShareLimits): Usage {
  const { inAll, ofAccount, ofRepository, ofAccountInRepository = ofAccount } = limits
  const [accounts, repositories, both] = [counts(), counts(), counts()]
  let total = 0
  return {
    ofAccount: ({ payer, units }) =>
      accounts.of(payer.account) + units <= ofAccount &&
      both.of(bothOf(payer)) + units <= ofAccountInRepository,
    ofRepository: ({ payer, units }) =>
      total + units <= inAll && repositories.of(payer.repositoryUid) + units <= ofRepository,
    add(payer, units) {
      total += units
      accounts.add(payer.account, units)
      repositories.add(payer.repositoryUid, units)
      both.add(bothOf(payer), units)
    },
  }
}

const bothOf = ({ account, repositoryUid }: Payer) => JSON.stringify([account, repositoryUid])

function counts() {
  const counted = new Map<string, number>()
  const of = (key: string) => counted.get(key) ?? 0
  return {
    of,
    add(key: string, units: number) {
      const sum = of(key) + units
      if (sum === 0) counted.delete(key)
      else counted.set(key, sum)
    },
  }
}
