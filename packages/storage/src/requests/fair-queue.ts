/** Who waits for a share, and who gets the next one. */

import type { Payer } from './payer.ts'

/** A request that waits for its share. */
export interface Waiting {
  readonly payer: Payer
  readonly units: number
  begin(): void
}

interface Patience {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Undefined is without end. */
  readonly seconds: number | undefined
}

const mostRemembered = 10_000

/** The account that was served longest ago comes first, however many requests of others wait. */
export function fairQueue(hasRoom: (waiting: Waiting) => boolean) {
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
    for (const one of queued.keys()) {
      if (!hasRoom(one)) continue
      if (next === undefined || servedAt(one) < servedAt(next)) next = one
    }
    return next
  }
  /** Begins one after the other while there is room for any. */
  const beginAll = () => {
    for (let one = next(); one !== undefined; one = next()) {
      begin(one)
      queued.get(one)?.()
    }
  }

  return {
    beginAll,
    beginsAtOnce(one: Waiting): boolean {
      if (!hasRoom(one)) return false
      begin(one)
      return true
    },
    waitingOf: (payer: Payer) =>
      Array.from(queued.keys()).filter((one) => one.payer.account === payer.account).length,
    /** True when it has begun, false when it has waited too long; rejects when the client disconnects. */
    wait: (one: Waiting, { signal, seconds }: Patience) =>
      new Promise<boolean>((resolve, reject) => {
        const leave = () => {
          queued.delete(one)
          clearTimeout(timer)
          signal.removeEventListener('abort', abort)
        }
        const end = (hasBegun: boolean) => {
          leave()
          resolve(hasBegun)
        }
        const abort = () => {
          leave()
          reject(signal.reason)
        }
        const late = () => end(false)
        const timer = seconds === undefined ? undefined : setTimeout(late, seconds * 1000)
        signal.addEventListener('abort', abort, { once: true })
        queued.set(one, () => end(true))
      }),
  }
}
