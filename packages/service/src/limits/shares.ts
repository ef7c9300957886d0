/** Bounds work that takes time, memory, disk or processes: each account has a share of it, and the queue is bounded. */

import v8 from 'node:v8'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { fairQueue } from './fair-queue.ts'
import {
  halfOf,
  isAnonymous,
  type QuotaOwner,
  type ShareLimits,
  usage,
  usualLimits,
  type Waiter,
} from './usage.ts'

export { anonymousOwner, isAnonymous, type QuotaOwner, type ShareLimits } from './usage.ts'

export type Release = () => void

export interface Shares {
  /**
   * Waits until the units are free; a request for more than a limit gets all of it. Rejects when the signal aborts,
   * refuses when too many requests wait, or when this one has waited too long.
   */
  take(payer: QuotaOwner, signal?: AbortSignal, units?: number): Promise<Release | Refusal>
  /** Undefined where it would have to wait. */
  takeNow(payer: QuotaOwner): Release | undefined
  /** Units in use. */
  held(): number
  heldBy(account: string): number
  /** Requests that wait. */
  waiting(): number
}

export function shares(settings: ShareLimits): Shares {
  const limits = { ...usualLimits, maxOfAnonymous: halfOf(settings.max), ...settings }
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
  const isCrowded = (payer: QuotaOwner): boolean =>
    queue.size() >= limits.maxWaiting ||
    (isAnonymous(payer) && queue.anonymousSize() >= halfOf(limits.maxWaiting))
  const isFull = (payer: QuotaOwner): boolean =>
    queue.sizeOf(payer) >= limits.maxWaitingOfAccount ||
    (isCrowded(payer) && !queue.displaceFor(payer))
  const waiterFor = (payer: QuotaOwner, units: number): Waiter => {
    const maxUnits = isAnonymous(payer) ? Math.min(largest, limits.maxOfAnonymous) : largest
    return { payer, units: Math.min(units, maxUnits), arrival: 0, end: () => {} }
  }

  return {
    held: use.held,
    heldBy: use.room.heldBy,
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

const queueFull = refuse(
  'rate_limited',
  'Too many requests of this account wait already. Send fewer at once, and this one again in a few seconds.',
  { retryAfterSeconds: 5 },
)

const waitedTooLong = refuse(
  'rate_limited',
  'This account or repository has too many requests in progress, and this one waited too long. Send it again in a few seconds.',
  { retryAfterSeconds: 5 },
)

/** Runs the work with a share, which is given back when the work ends. */
export async function withShare<Result>(
  pending: Promise<Release | Refusal>,
  work: () => Promise<Result>,
): Promise<Result | Refusal> {
  const release = await pending
  if (isRefusal(release)) return release
  try {
    return await work()
  } finally {
    release()
  }
}

const mib = 1024 * 1024

/** A shorter body never waits and is not counted. */
export const shortBodyBytes = 16 * 1024

/**
 * In bytes as clients send them. A body takes up to five times as much memory while it is parsed, so all of them fit
 * into a third of the heap.
 */
export function bodiesWithinHeap(
  { heap_size_limit: heapBytes }: Pick<v8.HeapInfo, 'heap_size_limit'> = v8.getHeapStatistics(),
): ShareLimits {
  const max = Math.max(16 * mib, Math.floor(heapBytes / 16))
  const quarter = Math.floor(max / 4)
  return {
    ...{ max, maxOfAccount: Math.max(8 * mib, quarter), reserved: quarter },
    // Each of them holds what Node has read of its body already.
    ...{ maxWaiting: 512, maxWaitingOfAccount: 32 },
  }
}

/** Waits until so many bytes may be held. */
export type TakeRoom = (bytes: number) => Promise<Refusal | undefined>

export interface HeldRoom {
  readonly take: TakeRoom
  /** To be called when the request is over. */
  release(): void
}

export interface RoomHolder {
  /** Asked when room is taken: the caller of a request is known only then. */
  payer(): QuotaOwner
  /** Aborted when the client has gone. */
  signal(): AbortSignal
}

/**
 * The share of one request: taken before its body is read, and held until its values are dropped.
 */
export function heldRoom(room: Shares, { payer, signal }: RoomHolder): HeldRoom {
  const held: Release[] = []
  return {
    async take(bytes) {
      if (bytes <= shortBodyBytes) return undefined
      const release = await room.take(payer(), signal(), bytes)
      if (isRefusal(release)) return release
      held.push(release)
      return undefined
    },
    release() {
      for (const release of held.splice(0)) release()
    },
  }
}
