/** Bounds work that takes time, memory, disk or processes: each account has a share of it, and the queue is bounded. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { fairQueue, type Room, type Waiter } from './fair-queue.ts'
import { isAnonymous, type Payer } from './payer.ts'

export type { Payer }

/** In units: requests, processes or bytes. */
export interface ShareLimits {
  readonly max: number
  readonly maxOfAccount?: number
  readonly maxOfRepository?: number
  readonly maxOfAccountInRepository?: number
  /** The units of all anonymous clients together, so that accounts find the rest: half of `max` by default. */
  readonly maxOfAnonymous?: number
  /** The last units of `max`. Only an account that holds none gets them, and an anonymous client half of them. */
  readonly reserved?: number
  /** Requests that may wait; half of them may be anonymous. */
  readonly maxWaiting?: number
  readonly maxWaitingOfAccount?: number
  readonly maxWaitSeconds?: number
}

const unlimited = Number.POSITIVE_INFINITY

const usual: Required<Omit<ShareLimits, 'max' | 'maxOfAnonymous'>> = {
  maxOfAccount: unlimited,
  maxOfRepository: unlimited,
  maxOfAccountInRepository: unlimited,
  reserved: 0,
  maxWaiting: 2048,
  maxWaitingOfAccount: 256,
  // Less than the minute after which proxies give up on a connection without traffic.
  maxWaitSeconds: 50,
}

export type Release = () => void

export interface Shares {
  /**
   * Waits until the units are free; a request for more than a limit gets all of it. Rejects when the signal aborts,
   * refuses when too many requests wait, or when this one has waited too long.
   */
  take(payer: Payer, signal?: AbortSignal, units?: number): Promise<Release | Refusal>
  /** Undefined where it would have to wait. */
  takeNow(payer: Payer): Release | undefined
  /** Units in use. */
  held(): number
  /** Requests that wait. */
  waiting(): number
}

export function shares(given: ShareLimits): Shares {
  const limits = { ...usual, maxOfAnonymous: halfOf(given.max), ...given }
  const { max, maxOfAccount, maxOfRepository, maxOfAccountInRepository, reserved } = limits
  const largest = Math.min(max - reserved, maxOfAccount, maxOfRepository, maxOfAccountInRepository)
  const use = usage(limits)
  const queue = fairQueue(use.room)

  const releaseOf = ({ payer, units }: Waiter): Release => {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      use.add(payer, -units)
      queue.released(payer)
    }
  }
  const isCrowded = (payer: Payer): boolean =>
    queue.size() >= limits.maxWaiting ||
    (isAnonymous(payer) && queue.anonymousSize() >= halfOf(limits.maxWaiting))
  const isFull = (payer: Payer): boolean =>
    queue.sizeOf(payer) >= limits.maxWaitingOfAccount ||
    (isCrowded(payer) && !queue.displaceFor(payer))
  const waiterFor = (payer: Payer, units: number): Waiter => {
    const mostUnits = isAnonymous(payer) ? Math.min(largest, limits.maxOfAnonymous) : largest
    return { payer, units: Math.min(units, mostUnits), arrival: 0, end: () => {} }
  }

  return {
    held: use.held,
    waiting: queue.size,
    takeNow(payer) {
      const waiter = waiterFor(payer, 1)
      return queue.beginsAtOnce(waiter) ? releaseOf(waiter) : undefined
    },
    async take(payer, signal, units = 1) {
      signal?.throwIfAborted()
      const waiter = waiterFor(payer, units)
      if (queue.beginsAtOnce(waiter)) return releaseOf(waiter)
      if (isFull(payer)) return queueFull
      const outcome = await queue.wait(waiter, { signal, seconds: limits.maxWaitSeconds })
      if (outcome === 'begun') return releaseOf(waiter)
      return outcome === 'late' ? waitedTooLong : queueFull
    },
  }
}

function halfOf(units: number): number {
  return Math.ceil(units / 2)
}

const queueFull = refuse(
  'rate_limited',
  'Too many requests of this account wait already. Send fewer at once, and this one again in a few seconds.',
  { retryAfterSeconds: 5 },
)

const waitedTooLong = refuse(
  'rate_limited',
  'Too much is under way for this account or repository, and there was no room for this request in time. Send it again in a few seconds.',
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

function usage(limits: Required<ShareLimits>) {
  const [accounts, repositories, pairs] = [counts(), counts(), counts()]
  let [held, heldByAnonymous] = [0, 0]
  const add = (payer: Payer, units: number) => {
    held += units
    if (isAnonymous(payer)) heldByAnonymous += units
    accounts.add(payer.account, units)
    if (payer.repositoryUid === undefined) return
    repositories.add(payer.repositoryUid, units)
    pairs.add(pairKey(payer), units)
  }
  const reservedFrom = (payer: Payer): number => {
    if (accounts.of(payer.account) > 0) return limits.reserved
    return isAnonymous(payer) ? halfOf(limits.reserved) : 0
  }
  const room: Room = {
    heldBy: accounts.of,
    ofAccount: ({ payer, units }) =>
      accounts.of(payer.account) + units <= limits.maxOfAccount &&
      (limits.maxOfAccountInRepository === unlimited ||
        pairs.of(pairKey(payer)) + units <= limits.maxOfAccountInRepository),
    ofRepository: ({ payer: { repositoryUid = '' }, units }) =>
      limits.maxOfRepository === unlimited ||
      repositories.of(repositoryUid) + units <= limits.maxOfRepository,
    ofAnonymous: ({ payer, units }) =>
      !isAnonymous(payer) || heldByAnonymous + units <= limits.maxOfAnonymous,
    ofAll: ({ payer, units }) => held + units <= limits.max - reservedFrom(payer),
    take: ({ payer, units }) => add(payer, units),
  }
  return { room, add, held: () => held }
}

/** A uid has no space. */
const pairKey = ({ account, repositoryUid = '' }: Payer) => `${repositoryUid} ${account}`

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
