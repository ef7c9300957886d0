/** Looks ahead in bytes that come one after the other, through a window of fixed size. */

import { allocate } from '#platform/bytes'

/** Fills from the beginning of `into`; gives how many bytes it was, 0 at the end. */
export type ReadNext = (into: Uint8Array) => number

export interface SlidingReader {
  /** How much was skipped so far. */
  readonly position: number
  /** The next `length` bytes, fewer only at the end; a view that lasts until the next call. */
  peek(length: number): Uint8Array
  skip(length: number): void
}

/** Nobody may look ahead farther than the window is long. */
export function slidingReader(read: ReadNext, windowLength: number): SlidingReader {
  // Nothing is looked at before it was read.
  const window = allocate(windowLength)
  let [start, end, position, isOver] = [0, 0, 0, false]
  const fill = () => {
    window.copyWithin(0, start, end)
    end -= start
    start = 0
    while (end < window.length && !isOver) {
      const got = read(window.subarray(end))
      isOver = got === 0
      end += got
    }
  }
  return {
    get position() {
      return position
    },
    peek(length) {
      if (end - start < length && !isOver) fill()
      return window.subarray(start, Math.min(start + length, end))
    },
    skip(length) {
      start += length
      position += length
    },
  }
}
