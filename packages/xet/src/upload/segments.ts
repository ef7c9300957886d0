/** Where xorbs begin in a file: at the same bytes in every upload, so that one that was broken off is found again. */

import { mostUnpackedBytes } from './open-xorb.ts'

const mebibyte = 1024 * 1024

/**
 * The first ones are small: sending begins early, and a break loses little. Further on they are larger: each xorb costs
 * the storage a transaction and a sync, and a file of 110 GiB has no more of them than a shard may name.
 */
export const segmentSizes: readonly SegmentSize[] = [
  { bytes: 16 * mebibyte, until: 32 * mebibyte },
  { bytes: 60 * mebibyte, until: Number.POSITIVE_INFINITY },
]

export interface SegmentSize {
  readonly bytes: number
  /** Those that begin before this byte of the file. */
  readonly until: number
}

/** A part of a file whose chunks go into one xorb, if all of them are new. */
export interface Segment {
  readonly bytes: number
}

/** Gives the segment of a chunk by where the chunk begins, which only grows: the same object until the next begins. */
export function fileSegments(sizes = segmentSizes): (chunkStart: number) => Segment {
  let end = 0
  let segment: Segment = { bytes: 0 }
  return (chunkStart) => {
    while (chunkStart >= end) {
      segment = { bytes: sizeAt(sizes, end) }
      end += segment.bytes
    }
    return segment
  }
}

function sizeAt(sizes: readonly SegmentSize[], start: number): number {
  return sizes.find(({ until }) => start < until)?.bytes ?? mostUnpackedBytes
}
