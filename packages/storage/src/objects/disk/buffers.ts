/** Memory in which files are read and written. */

/** Each buffer that is filled crosses to a thread and back, so that large ones take less of the processor. */
const largeLength = 256 * 1024
/** As much as a stream of Node reads at once. */
const smallLength = 64 * 1024
/** Clients that read slowly hold theirs for long: 32 MiB are held in this way, and the rest are small. */
const maxLarge = 64

export type BufferPair = readonly [Buffer, Buffer]

export interface Buffers {
  /** Takes two buffers of the same length: the system works on one, and we on the other. */
  take(): BufferPair
  /** Returns buffers that are no longer read or filled. */
  give(pair: BufferPair): void
  /** Something may still read or fill them, so they are not used again. */
  lose(pair: BufferPair): void
}

/** New memory for each part would have the whole heap searched for garbage all the time. */
export function buffers(): Buffers {
  const free: BufferPair[] = []
  let large = 0
  return {
    take() {
      const pair = free.pop()
      if (pair !== undefined) return pair
      if (large === maxLarge) return pairOf(smallLength)
      large += 1
      return pairOf(largeLength)
    },
    give(pair) {
      if (isLarge(pair)) free.push(pair)
    },
    lose(pair) {
      if (isLarge(pair)) large -= 1
    },
  }
}

function pairOf(length: number): BufferPair {
  return [Buffer.allocUnsafeSlow(length), Buffer.allocUnsafeSlow(length)]
}

function isLarge([one]: BufferPair): boolean {
  return one.length === largeLength
}
