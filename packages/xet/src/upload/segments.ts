/** Where xorbs begin in a file: at the same bytes in every upload, so that one that was broken off is found again. */

const mebibyte = 1024 * 1024

/**
 * The first ones are small: sending begins early, and a break loses little. Further on they are larger, so that a file
 * of 90 GiB has no more xorbs than a shard may name.
 */
const small = { bytes: 16 * mebibyte, until: 1024 * mebibyte }
const largeBytes = 48 * mebibyte

/** A part of a file whose chunks go into one xorb, if all of them are new. */
export interface Segment {
  readonly bytes: number
}

/** Gives the segment of a chunk by where the chunk begins, which only grows: the same object until the next begins. */
export function fileSegments(): (chunkStart: number) => Segment {
  let segment: Segment = { bytes: small.bytes }
  let end = small.bytes
  return (chunkStart) => {
    while (chunkStart >= end) {
      segment = { bytes: end < small.until ? small.bytes : largeBytes }
      end += segment.bytes
    }
    return segment
  }
}
