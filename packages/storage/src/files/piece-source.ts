/** Divides a body into pieces. */

import type { Body } from '../request/asked.ts'

export interface PieceSource {
  /** The next bytes, up to so many. They end where the body breaks, too. */
  next(most: number): AsyncGenerator<Uint8Array, void>
  /** Whether no piece follows: known as soon as one was read. */
  readonly isEnded: boolean
  /** Why the body broke before its end. */
  readonly broken: { readonly reason: unknown } | undefined
  /** Bytes of all pieces. */
  readonly bytes: number
  close(): void
}

const nothing = new Uint8Array(0)

export function pieceSource({ stream }: Pick<Body, 'stream'>): PieceSource {
  const parts = stream[Symbol.asyncIterator]()
  let part: Uint8Array = nothing
  let [isEnded, bytes] = [false, 0]
  let broken: PieceSource['broken']
  const readPart = async () => {
    try {
      const { done = false, value } = await parts.next()
      isEnded = done
      part = done ? nothing : value
    } catch (reason) {
      isEnded = true
      broken = { reason }
    }
  }
  const fill = async () => {
    while (!isEnded && part.length === 0) await readPart()
  }
  return {
    get isEnded() {
      return isEnded
    },
    get broken() {
      return broken
    },
    get bytes() {
      return bytes
    },
    async *next(most) {
      await fill()
      for (let left = most; left > 0 && !isEnded; ) {
        const some = part.subarray(0, left)
        part = part.subarray(some.length)
        left -= some.length
        bytes += some.length
        yield some
        await fill()
      }
    },
    close: () => void parts.return?.(),
  }
}
