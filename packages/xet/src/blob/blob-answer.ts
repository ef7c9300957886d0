/** The answer to one request for a blob, as its bytes come: first the head, then the body in the caller's memory. */

import { type BlobHead, readBlobHead } from './blob-head.ts'

export interface BlobAnswer {
  /** As the head says; `other` if the head has another form than the plain one, undefined if the connection broke first. */
  readonly status: number | 'other' | undefined
  /** How many bytes of the body came. */
  readonly bytes: number
  /** Whether the connection can be used for another request. */
  readonly keepsAlive: boolean
  /** Why the connection broke. */
  readonly failure?: Error | undefined
}

export interface AnswerReader {
  /** The memory that the next bytes are read into. */
  memory(): Uint8Array
  /** So many bytes were read into the memory. Gives the answer once no more bytes are needed. */
  take(bytes: number): BlobAnswer | undefined
  /** The answer if the connection ends now. */
  breakOff(failure?: Error): BlobAnswer
}

/** The head is read into `headBytes`, the body into `into`: the answer is good only if it is exactly as long. */
export function answerReader(headBytes: Buffer, into: Uint8Array): AnswerReader {
  let head: BlobHead | undefined
  let [headFilled, filled] = [0, 0]

  const takeBody = ({ status, keepsAlive }: BlobHead, bytes: number): BlobAnswer | undefined => {
    filled += bytes
    return filled < into.length ? undefined : { status, bytes: filled, keepsAlive }
  }
  const takeHead = (bytes: number): BlobAnswer | undefined => {
    headFilled += bytes
    const read = readBlobHead(headBytes.subarray(0, headFilled))
    if (read === undefined) return undefined
    if (read === 'other') return withoutBody('other')
    const bodyStart = headBytes.subarray(read.length, headFilled)
    if (!isWanted(read, into) || bodyStart.length > into.length) return withoutBody(read.status)
    head = read
    into.set(bodyStart)
    return takeBody(head, bodyStart.length)
  }
  return {
    memory: () => (head === undefined ? headBytes.subarray(headFilled) : into.subarray(filled)),
    take: (bytes) => (head === undefined ? takeHead(bytes) : takeBody(head, bytes)),
    breakOff: (failure) => ({
      ...{ status: filled > 0 ? head?.status : undefined, bytes: filled },
      ...{ keepsAlive: false, failure },
    }),
  }
}

function isWanted({ status, contentLength }: BlobHead, into: Uint8Array): boolean {
  return status < 300 && contentLength === into.length
}

/** The body is not read, so nothing that follows on the connection can be told from it. */
function withoutBody(status: BlobAnswer['status']): BlobAnswer {
  return { status, bytes: 0, keepsAlive: false }
}
