/** Sends a few at once, in order, and holds no more than so many bytes; after a failure nothing more is sent. */

import { deferred } from '../waiting/deferred.ts'

export interface SendQueue {
  /** Resolves when there is room for it; it is sent later, in its turn. */
  add(bytes: number, send: () => Promise<void>): Promise<void>
  /** Resolves when everything has been sent. */
  drain(): Promise<void>
}

export interface SendLimits {
  readonly bytes: number
  /** The first ones arrive sooner, and the storage checks them while the next come. */
  readonly atOnce: number
}

export function sendQueue({ bytes: mostBytes, atOnce }: SendLimits): SendQueue {
  const waiting: (() => Promise<void>)[] = []
  let [held, sending] = [0, 0]
  let failed: { readonly reason: unknown } | undefined
  let settled = deferred()
  const settle = () => {
    settled.resolve()
    settled = deferred()
  }
  const sendNext = async (): Promise<void> => {
    const next = sending < atOnce && failed === undefined ? waiting.shift() : undefined
    if (next === undefined) return
    sending += 1
    try {
      await next()
    } catch (reason) {
      failed ??= { reason }
    }
    sending -= 1
    settle()
    void sendNext()
  }
  return {
    async add(bytes, send) {
      while (failed === undefined && held > 0 && held + bytes > mostBytes) await settled.promise
      if (failed !== undefined) throw failed.reason
      held += bytes
      waiting.push(async () => {
        await send()
        held -= bytes
      })
      void sendNext()
    },
    async drain() {
      while (sending > 0) await settled.promise
      if (failed !== undefined) throw failed.reason
    },
  }
}
