/** Orders the requests that wait for a share, and begins the next one when there is room. */

import {
  isAnonymous,
  pairKey,
  type QuotaOwner,
  type Room,
  type Waiter,
  type WaitOutcome,
} from './usage.ts'

export interface Patience {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined
  readonly seconds: number
}

export interface FairQueue {
  size(): number
  sizeOf(payer: QuotaOwner): number
  /** Requests of anonymous clients that wait. */
  anonymousSize(): number
  /** Begins the request if it need not wait. */
  beginsAtOnce(waiter: Waiter): boolean
  /** Rejects when the client disconnects. */
  wait(waiter: Waiter, patience: Patience): Promise<WaitOutcome>
  /** Ends the newest wait of the account that has most of them, if this account has fewer. An anonymous client displaces anonymous ones alone. */
  displaceFor(payer: QuotaOwner): boolean
  /** To be called when units were given back. */
  released(payer: QuotaOwner): void
}

/** The requests of one account in one repository. Only the oldest may begin. */
interface Lane {
  readonly payer: QuotaOwner
  readonly waiters: Set<Waiter>
}

interface AccountTurn {
  waiting: number
  /** The number of the request that was served last. */
  servedAt: number
}

/**
 * The account that holds least comes first, then the one that was served longest ago, then the oldest request. No request
 * passes an older one that waits for room in the same repository, and none passes the first in turn: many small requests
 * would keep a large one out for ever. Anonymous clients keep no account out.
 */
export function fairQueue(room: Room): FairQueue {
  const lanes = new Map<string, Lane>()
  /** The turns of accounts that hold slots or wait. */
  const turns = new Map<string, AccountTurn>()
  let [size, anonymousSize, arrivals, served] = [0, 0, 0, 0]

  const turnOf = ({ account }: QuotaOwner): AccountTurn => {
    // A new account comes before the one that was served last, and not before all others.
    const turn = turns.get(account) ?? { waiting: 0, servedAt: served - 1 }
    turns.set(account, turn)
    return turn
  }
  const dropIdle = ({ account }: QuotaOwner) => {
    if (room.heldBy(account) === 0 && turns.get(account)?.waiting === 0) turns.delete(account)
  }
  const begin = (waiter: Waiter) => {
    room.take(waiter)
    served += 1
    turnOf(waiter.payer).servedAt = served
  }
  const join = (waiter: Waiter) => {
    const { payer } = waiter
    const lane = lanes.get(pairKey(payer)) ?? { payer, waiters: new Set() }
    lanes.set(pairKey(payer), lane)
    arrivals += 1
    waiter.arrival = arrivals
    lane.waiters.add(waiter)
    turnOf(payer).waiting += 1
    size += 1
    if (isAnonymous(payer)) anonymousSize += 1
  }
  /** False if it waits no more. */
  const leave = (waiter: Waiter): boolean => {
    const { payer } = waiter
    const lane = lanes.get(pairKey(payer))
    if (!lane?.waiters.delete(waiter)) return false
    if (lane.waiters.size === 0) lanes.delete(pairKey(payer))
    turnOf(payer).waiting -= 1
    size -= 1
    if (isAnonymous(payer)) anonymousSize -= 1
    dropIdle(payer)
    return true
  }
  const comesBefore = (one: Waiter, other: Waiter): boolean =>
    (room.heldBy(one.payer.account) - room.heldBy(other.payer.account) ||
      turnOf(one.payer).servedAt - turnOf(other.payer).servedAt ||
      one.arrival - other.arrival) < 0
  const earlier = (one: Waiter, other: Waiter | undefined): Waiter =>
    other === undefined || comesBefore(one, other) ? one : other
  const isRoomOfOwn = (waiter: Waiter) => room.ofAccount(waiter) && room.ofAnonymous(waiter)
  /** Undefined while there is no room for the first in turn. Loops over all lanes, so it makes no copies of them. */
  const next = (): Waiter | undefined => {
    let heldUp: Map<string | undefined, number> | undefined
    for (const { waiters } of lanes.values()) {
      const one = firstOf(waiters)
      if (one === undefined || room.ofRepository(one) || !isRoomOfOwn(one)) continue
      heldUp ??= new Map()
      const { repositoryUid } = one.payer
      heldUp.set(repositoryUid, Math.min(heldUp.get(repositoryUid) ?? one.arrival, one.arrival))
    }
    let [first, anonymous]: [Waiter?, Waiter?] = []
    for (const { waiters } of lanes.values()) {
      const one = firstOf(waiters)
      // A request that waits for others of its own account keeps nobody else out.
      if (one === undefined || !room.ofAccount(one)) continue
      if ((heldUp?.get(one.payer.repositoryUid) ?? Number.POSITIVE_INFINITY) <= one.arrival)
        continue
      if (isAnonymous(one.payer)) anonymous = earlier(one, anonymous)
      else first = earlier(one, first)
    }
    if (anonymous !== undefined && earlier(anonymous, first) === anonymous) {
      if (room.ofAnonymous(anonymous) && room.ofAll(anonymous)) return anonymous
    }
    return first !== undefined && room.ofAll(first) ? first : undefined
  }
  const beginAll = () => {
    if (size === 0) return
    for (let waiter = next(); waiter !== undefined; waiter = next()) {
      begin(waiter)
      leave(waiter)
      waiter.end('begun')
    }
  }

  return {
    size: () => size,
    anonymousSize: () => anonymousSize,
    sizeOf: ({ account }) => turns.get(account)?.waiting ?? 0,
    beginsAtOnce(waiter) {
      if (!isRoomOfOwn(waiter)) return false
      if (size > 0) {
        join(waiter)
        beginAll()
        return !leave(waiter)
      }
      const isRoom = room.ofRepository(waiter) && room.ofAll(waiter)
      if (isRoom) begin(waiter)
      return isRoom
    },
    wait: (waiter, { signal, seconds }) =>
      new Promise((resolve, reject) => {
        const giveUp = () => {
          leave(waiter)
          waiter.end('late')
          // Waiters behind it may fit.
          beginAll()
        }
        const abort = () => {
          reject(signal?.reason)
          giveUp()
        }
        const timer = Number.isFinite(seconds) ? setTimeout(giveUp, seconds * 1000) : undefined
        signal?.addEventListener('abort', abort, { once: true })
        waiter.end = (outcome) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
          resolve(outcome)
        }
        join(waiter)
        // The request that it has displaced may have kept others out, and this one.
        beginAll()
      }),
    displaceFor(payer) {
      const own = turns.get(payer.account)?.waiting ?? 0
      const [most] = turns
        .entries()
        .filter(([account]) => !isAnonymous(payer) || isAnonymous({ account }))
        .toArray()
        .toSorted(([, one], [, other]) => other.waiting - one.waiting)
      if (most === undefined || most[1].waiting <= own + 1) return false
      const [newest] = lanes
        .values()
        .filter((lane) => lane.payer.account === most[0])
        .flatMap(({ waiters }) => waiters)
        .toArray()
        .toSorted((one, other) => other.arrival - one.arrival)
      if (newest === undefined) return false
      leave(newest)
      newest.end('displaced')
      return true
    },
    released(payer) {
      dropIdle(payer)
      beginAll()
    },
  }
}

function firstOf(waiters: ReadonlySet<Waiter>): Waiter | undefined {
  for (const waiter of waiters) return waiter
  return undefined
}
