/** Who waits for a share, and who gets the next one. */

import type { Payer } from './payer.ts'

/** A request that waits for its share. */
export interface Waiting {
  readonly payer: Payer
  readonly units: number
  begin(): void
}

interface Queued extends Waiting {
  leave(): void
}

const mostRemembered = 10_000

/** The account that was served longest ago comes first, however many requests of others wait. */
export function fairQueue() {
  const queued = new Set<Queued>()
  /** When each account was served last, counted in requests; those longest ago are forgotten. */
  const lastServed = new Map<string, number>()
  let count = 0
  const servedAt = ({ payer }: Waiting) => lastServed.get(payer.account) ?? 0

  return {
    served({ account }: Payer) {
      count += 1
      lastServed.delete(account)
      lastServed.set(account, count)
      if (lastServed.size > mostRemembered) lastServed.delete(lastServed.keys().next().value ?? '')
    },
    waitingOf: (payer: Payer) =>
      Array.from(queued).filter((one) => one.payer.account === payer.account).length,
    wait: (waiting: Waiting, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const abort = () => {
          queued.delete(one)
          reject(signal.reason)
        }
        const one: Queued = {
          ...waiting,
          leave() {
            queued.delete(one)
            signal.removeEventListener('abort', abort)
            resolve()
          },
        }
        queued.add(one)
        signal.addEventListener('abort', abort, { once: true })
      }),
    /** Begins one after the other while there is room for any. */
    beginAll(hasRoom: (waiting: Waiting) => boolean) {
      for (;;) {
        let next: Queued | undefined
        for (const one of queued) {
          if (!hasRoom(one)) continue
          if (next === undefined || servedAt(one) < servedAt(next)) next = one
        }
        if (next === undefined) return
        next.begin()
        next.leave()
      }
    },
  }
}
