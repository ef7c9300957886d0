/** Predicts by samples which packing makes a chunk smallest: to try them all takes longer than everything else. */

import { compressSync } from 'lz4-napi'
import { groupBytes } from './byte-groups.ts'
import type { Scheme } from './chunk-header.ts'

/** A chunk that is no longer is its own sample. */
const sampleBytes = 16 * 1024
const slices = 4

/** Places in a word of four bytes, and the values that a byte may have there. */
const [places, values] = [4, 256]
const countedBytes = 4096

/**
 * How uneven the counts of random bytes come out: the chi-squared statistic has this mean, and the second number is six
 * times its standard deviation.
 */
const chiSquared = places * (values - 1)
const tolerance = 6 * Math.sqrt(2 * chiSquared)

/** Used anew for every chunk. */
const counts = new Uint16Array(places * values)

export function chooseScheme(chunk: Uint8Array): Scheme {
  if (chunk.length > sampleBytes && looksRandom(chunk)) return 'none'
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
  const sample = sampleOf(chunk, countedBytes)
  counts.fill(0)
  for (let index = 0; index < sample.length; index += 1) {
    const place = ((index & (places - 1)) << 8) | (sample[index] ?? 0)
    counts[place] = (counts[place] ?? 0) + 1
  }
  let squares = 0
  for (let place = 0; place < counts.length; place += 1) squares += (counts[place] ?? 0) ** 2
  return (squares * counts.length) / sample.length - sample.length < chiSquared + tolerance
}

/** Slices from all over the chunk, one behind the other; each begins with a word of four bytes. */
function sampleOf(chunk: Uint8Array, bytes: number): Buffer {
  const whole = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  if (chunk.length <= bytes) return whole
  const length = bytes / slices
  const distance = (chunk.length - length) / (slices - 1)
  return Buffer.concat(
    Array.from({ length: slices }, (_, index) => {
      const start = Math.floor((index * distance) / places) * places
      return whole.subarray(start, start + length)
    }),
  )
}

/** Without what frames have around their blocks. */
function packedLength(sample: Buffer): number {
  return compressSync(sample).length
}
