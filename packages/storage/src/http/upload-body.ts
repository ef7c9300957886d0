/** The body of a request as it comes, until it ends or has to stop. */

import type { IncomingMessage } from 'node:http'
import type { Refusal } from '@latchkey/protocol'
import type { Body } from '../requests/asked.ts'

/** Carries a refusal out of whatever was reading a body that may not go on. */
export class Stopped extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('stopped')
    this.refusal = refusal
  }
}

export interface UploadBody extends Body {
  /** How many bytes of it were taken. */
  readonly taken: number
  stop(refusal: Refusal): void
}

/**
 * Whoever leaves off reading leaves the connection as it is: the answer goes back on it. A client that waits to be told
 * to send is told by `goOn` when somebody begins to read, so that what is refused before is not sent at all.
 */
export function uploadBody(request: IncomingMessage, goOn: () => void): UploadBody {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  stopped.catch(() => {})
  const length = request.headers['content-length']
  let taken = 0
  return {
    get taken() {
      return taken
    },
    length: length === undefined ? undefined : Number(length),
    stop: (refusal) => reject(new Stopped(refusal)),
    stream: {
      async *[Symbol.asyncIterator]() {
        goOn()
        const parts = request.iterator({ destroyOnReturn: false })
        try {
          for (;;) {
            const { done, value } = await Promise.race([parts.next(), stopped])
            if (done) return
            taken += value.length
            yield value
          }
        } finally {
          // So that the rest can flow away unread; not waited for, because there may be none.
          void parts.return?.()
        }
      },
    },
  }
}
