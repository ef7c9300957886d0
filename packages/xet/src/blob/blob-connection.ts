/** A connection to where blob URLs lead: it reads each body straight into the caller's memory, and stays open for the next. */

import type { ByteRange } from '../download/download-calls.ts'
import { type AnswerReader, answerReader, type BlobAnswer } from './blob-answer.ts'
import { maxHeadBytes } from './blob-head.ts'
import { openSocket, timeoutMs } from './blob-socket.ts'
import type { BlobTarget } from './blob-target.ts'

/** Servers close idle connections after about 5 s; one that is older is not used again. */
const idleMs = 3000

export interface BlobConnection {
  isClosed(): boolean
  /** Whether it can be asked, for a URL that leads to one of these addresses. */
  isFreeFor(target: BlobTarget): boolean
  ask(url: URL, range: ByteRange, into: Uint8Array): Promise<BlobAnswer>
  close(): void
}

interface PendingRequest {
  readonly reader: AnswerReader
  readonly resolve: (answer: BlobAnswer) => void
}

/** Node's HTTP client makes a new buffer of each part that comes: four times the work of reading into ours. */
export function blobConnection(target: BlobTarget): BlobConnection {
  const headBytes = Buffer.allocUnsafeSlow(maxHeadBytes)
  let pending: PendingRequest | undefined

  const settle = (answer: BlobAnswer) => {
    const resolve = pending?.resolve
    pending = undefined
    if (answer.keepsAlive) socket.unref().setTimeout(idleMs)
    else socket.destroy()
    resolve?.(answer)
  }
  const breakOff = (failure?: Error) => {
    if (pending === undefined) socket.destroy()
    else settle(pending.reader.breakOff(failure))
  }
  const socket = openSocket(target, {
    buffer: () => pending?.reader.memory() ?? headBytes,
    callback(bytes) {
      // Bytes that were not asked for make the connection unusable.
      if (pending === undefined) breakOff()
      const answer = pending?.reader.take(bytes)
      if (answer !== undefined) settle(answer)
      return true
    },
  })
  socket.on('error', breakOff)
  for (const end of ['timeout', 'end', 'close']) socket.on(end, () => breakOff())

  return {
    isClosed: () => socket.destroyed,
    isFreeFor: ({ url, addresses }) =>
      pending === undefined &&
      !socket.destroyed &&
      url.origin === target.url.origin &&
      addresses.some(({ address }) => address === socket.remoteAddress),
    ask: (url, range, into) =>
      new Promise((resolve) => {
        pending = { reader: answerReader(headBytes, into), resolve }
        socket.ref().setTimeout(timeoutMs)
        socket.write(requestHead(url, range))
      }),
    close: () => breakOff(),
  }
}

/** A parsed URL has no line breaks in it. */
function requestHead({ pathname, search, host }: URL, { start, end }: ByteRange): string {
  return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nRange: bytes=${start}-${end}\r\nAccept-Encoding: identity\r\n\r\n`
}
