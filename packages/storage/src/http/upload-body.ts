/** The body of a request as it comes, until it ends or has to stop. */

import type { IncomingMessage } from 'node:http'
import type { Refusal } from '@latchkey/protocol'
import { freePart } from '@latchkey/service/http/free-part'
import type { Body } from '../request/asked.ts'

/** Carries a refusal out of whatever was reading a body that may not go on. */
export class StoppedUpload extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('stopped')
    this.refusal = refusal
  }
}

export interface UploadBody extends Body {
  /** How many bytes of it were taken. */
  readonly bytesRead: number
  /** Whether the storage has begun to read it. */
  readonly isBegun: boolean
}

/**
 * A reader that stops leaves the connection as it is: the response is sent on it. A client that
 * waits for `100 Continue` gets it by `goOn` when a reader begins, so that it does not send a body
 * that is refused before.
 */
export function uploadBody(request: IncomingMessage, goOn: () => void): UploadBody {
  let stopped: StoppedUpload | undefined
  let wake = (_reason: StoppedUpload): void => {}
  const length = request.headers['content-length']
  let bytesRead = 0
  let isBegun = false
  return {
    get bytesRead() {
      return bytesRead
    },
    get isBegun() {
      return isBegun
    },
    length: length === undefined ? undefined : Number(length),
    stop(refusal) {
      stopped ??= new StoppedUpload(refusal)
      wake(stopped)
    },
    stream: {
      async *[Symbol.asyncIterator]() {
        isBegun = true
        goOn()
        const parts = request.iterator({ destroyOnReturn: false })
        // A promise for each part: a race with one for all would hold every part until the last has come.
        const next = () =>
          new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
            wake = reject
            if (stopped === undefined) parts.next().then(resolve, reject)
            else reject(stopped)
          })
        try {
          for (;;) {
            const { done, value } = await next()
            if (done) return
            bytesRead += value.length
            yield value
            freePart(value)
          }
        } finally {
          // So that the rest can flow away unread; not waited for, because there may be none.
          void parts.return?.()
        }
      },
    },
  }
}
