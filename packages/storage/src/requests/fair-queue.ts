/** The requests that wait for a share, and which of them begins next. */

import type { Payer } from './payer.ts'

/** A request that waits for its share. */
export interface Waiting {
  readonly payer: Payer
  readonly units: number
  begin(): void
}

/** Whether there is room for a request, by the limits of its account and by those that it shares with others. */
export interface Room {
  ofAccount(waiting: Waiting): boolean
  ofRepository(waiting: Waiting): boolean
}

interface Patience {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Undefined is without end. */
  readonly seconds: number | undefined
}

const mostRemembered = 10_000

/**
 * The account that was served longest ago comes first, however many requests of others wait. No request passes an older
 * one that waits for room in the same repository: many small ones would keep a large one out for ever.
 */
export function fairQueue(room: Room) {
  /** Each with what ends its wait. */
  const queued = new Map<Waiting, () => void>()
  /** When each account was served last, counted in requests; those longest ago are forgotten. */
  const lastServed = new Map<string, number>()
  let count = 0
  const servedAt = ({ payer }: Waiting) => lastServed.get(payer.account) ?? 0

  const begin = (one: Waiting) => {
    const { account } = one.payer
    count += 1
    lastServed.delete(account)
    lastServed.set(account, count)
    if (lastServed.size > mostRemembered) lastServed.delete(lastServed.keys().next().value ?? '')
    one.begin()
  }
  const next = () => {
    let next: Waiting | undefined
    const kept = new Set<string>()
    for (const one of queued.keys()) {
      const { repositoryUid } = one.payer
      // A request that waits for others of its own account keeps nobody else out.
      if (kept.has(repositoryUid) || !room.ofAccount(one)) continue
      if (!room.ofRepository(one)) kept.add(repositoryUid)
      else if (next === undefined || servedAt(one) < servedAt(next)) next = one
    }
    return next
  }
  /** Begins one after the other while there is room for any. */
  const beginAll = () => {
    for (let one = next(); one !== undefined; one = next()) {
      begin(one)
      const end = queued.get(one)
      queued.delete(one)
      end?.()
    }
  }

  return {
    beginAll,
    beginsAtOnce(one: Waiting): boolean {
      queued.set(one, () => {})
      beginAll()
      const isLeft = queued.delete(one)
      return !isLeft
    },
    waitingOf: (payer: Payer) =>
      Array.from(queued.keys()).filter((one) => one.payer.account === payer.account).length,
    /** True when it has begun, false when it has waited too long; rejects when the client disconnects. */
    wait: (one: Waiting, { signal, seconds }: Patience) =>
      new Promise<boolean>((resolve, reject) => {
        const end = (hasBegun: boolean) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', abort)
          resolve(hasBegun)
        }
        const giveUp = () => {
          queued.delete(one)
          end(false)
          // Those behind it may fit.
          beginAll()
        }
        const abort = () => {
          reject(signal.reason)
          giveUp()
        }
        const timer = seconds === undefined ? undefined : setTimeout(giveUp, seconds * 1000)
        signal.addEventListener('abort', abort, { once: true })
        queued.set(one, () => end(true))
      }),
  }
}
