/** Predicts by samples which packing makes a chunk smallest: to try them all takes longer than everything else. */

import { packedLength } from '#platform/lz4'
import { groupBytes } from './byte-groups.ts'
import type { Scheme } from './chunk-header.ts'
import { joinBytes } from './join-bytes.ts'

/** A chunk that is no longer is its own sample. */
const sampleBytes = 16 * 1024
const slices = 4

/** Places in a word of four bytes, and the values that a byte may have there. */
const [places, values] = [4, 256]
const countedBytes = 2048
/** A shorter chunk is packed both ways sooner than its bytes are worth counting. */
const leastCounted = 8 * 1024

/**
 * How uneven the counts of random bytes come out: the chi-squared statistic has this mean, and the second number is six
 * times its standard deviation.
 */
const chiSquared = places * (values - 1)
const tolerance = 6 * Math.sqrt(2 * chiSquared)

/** Used anew for every chunk. */
const counts = new Uint16Array(places * values)

export function chooseScheme(chunk: Uint8Array): Scheme {
  if (chunk.length >= leastCounted && looksRandom(chunk)) return 'none'
  const sample = sampleOf(chunk, sampleBytes)
  const lengths = [
    ['none', sample.length],
    ['lz4', packedLength(sample)],
    ['groupedLz4', packedLength(groupBytes(sample))],
  ] as const
  const [[scheme]] = lengths.toSorted(([, one], [, other]) => one - other) as [(typeof lengths)[0]]
  return scheme
}

/** Bytes that are all as frequent as each other, wherever they stand in a word, leave nothing to pack. */
function looksRandom(chunk: Uint8Array): boolean {
  counts.fill(0)
  const length = countedBytes / slices
  let squares = 0
  for (let slice = 0; slice < slices; slice += 1) {
    const start = startOfSlice(chunk, slice, length)
    for (let index = start; index < start + length; index += 1) {
      const place = ((index & (places - 1)) << 8) | (chunk[index] ?? 0)
      const count = counts[place] ?? 0
      // The difference of two squares: the counts need not be gone through again.
      squares += 2 * count + 1
      counts[place] = count + 1
    }
  }
  return (squares * counts.length) / countedBytes - countedBytes < chiSquared + tolerance
}

/** Slices from all over the chunk, one behind the other; each begins with a word of four bytes. */
function sampleOf(chunk: Uint8Array, bytes: number): Uint8Array {
  if (chunk.length <= bytes) return chunk
  const length = bytes / slices
  return joinBytes(
    Array.from({ length: slices }, (_, slice) => {
      const start = startOfSlice(chunk, slice, length)
      return chunk.subarray(start, start + length)
    }),
  )
}

/** The first slice begins the chunk, the last one ends it but for a part of a word. */
function startOfSlice(chunk: Uint8Array, slice: number, length: number): number {
  const distance = (chunk.length - length) / (slices - 1)
  return Math.floor((slice * distance) / places) * places
}
