/** Makes a chunk ready for a xorb: its header, and its bytes as small as they get. */

import { allocate, copyBytes } from '#platform/bytes'
import { canPack, packedLength, packFrame } from '#platform/lz4'
import { groupBytes } from './byte-groups.ts'
import { joinBytes } from './bytes.ts'
import { chunkHeaderLength, type Scheme, writeChunkHeader } from './chunk-header.ts'
import { type ChunkTable, chunkTableBuilder } from './chunk-table.ts'
import { type Hash, hashAt } from './hash.ts'
import { chunkHash } from './hashing.ts'
import { merkleTree } from './merkle-tree.ts'

/** In this order of preference where two give the same. */
const pack: Record<Scheme, (chunk: Uint8Array) => Uint8Array> = {
  none: (chunk) => chunk,
  lz4: (chunk) => packFrame(chunk),
  groupedLz4: (chunk) => packFrame(groupBytes(chunk)),
}

/** Without its header; the bytes may be the chunk's own. */
interface PackedBytes {
  readonly scheme: Scheme
  readonly bytes: Uint8Array
}

/** Without a scheme, the one that gives the smallest. */
export function packChunk(chunk: Uint8Array, scheme?: Scheme): Uint8Array<ArrayBuffer> {
  const packed = scheme === undefined ? smallest(chunk) : { scheme, bytes: pack[scheme](chunk) }
  const whole = allocate(chunkHeaderLength + packed.bytes.length)
  writePacked(packed, chunk.length, whole)
  return whole
}

/** As the sample promises; a chunk that gets no smaller stays as it is. */
export function packBytes(chunk: Uint8Array): PackedBytes {
  const own = { scheme: 'none', bytes: chunk } as const
  const scheme = canPack ? chooseScheme(chunk) : 'none'
  const packed = { scheme, bytes: pack[scheme](chunk) }
  return packed.bytes.length < chunk.length ? packed : own
}

/** Writes header and bytes to the beginning of `into`. */
export function writePacked(
  { scheme, bytes }: PackedBytes,
  unpackedLength: number,
  into: Uint8Array,
): void {
  writeChunkHeader({ scheme, packedLength: bytes.length, unpackedLength }, into)
  copyBytes(bytes, into, chunkHeaderLength)
}

function smallest(chunk: Uint8Array): PackedBytes {
  let best: PackedBytes = { scheme: 'none', bytes: chunk }
  for (const scheme of canPack ? (['lz4', 'groupedLz4'] as const) : []) {
    const bytes = pack[scheme](chunk)
    if (bytes.length < best.bytes.length) best = { scheme, bytes }
  }
  return best
}

/** A chunk that is no longer is its own sample. */
const sampleBytes = 16 * 1024
const slices = 4

/** Places in a word of four bytes, and the values that a byte may have there. */
const [places, values] = [4, 256]
const countedBytes = 2048
/** A shorter chunk is packed both ways sooner than its bytes are worth counting. */
const minCounted = 8 * 1024

/**
 * How uneven the counts of random bytes come out: the chi-squared statistic has this mean, and the second number is six
 * times its standard deviation.
 */
const chiSquared = places * (values - 1)
const tolerance = 6 * Math.sqrt(2 * chiSquared)

/** Used anew for every chunk. */
const counts = new Uint16Array(places * values)

export function chooseScheme(chunk: Uint8Array): Scheme {
  if (chunk.length >= minCounted && looksRandom(chunk)) return 'none'
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

export interface WrittenXorb {
  readonly hash: Hash
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly table: ChunkTable
}

/** Without a scheme, each chunk gets the one that makes it smallest. */
export function writeXorb(chunks: Iterable<Uint8Array>, scheme?: Scheme): WrittenXorb {
  const tree = merkleTree()
  const table = chunkTableBuilder()
  const parts: Uint8Array[] = []
  let end = 0
  for (const chunk of chunks) {
    const hash = chunkHash(chunk)
    const part = packChunk(chunk, scheme)
    parts.push(part)
    end += part.length
    tree.add(hash, chunk.length)
    table.add(hash, chunk.length, end)
  }
  return { hash: hashAt(tree.root()), bytes: joinBytes(parts), table: table.build() }
}
