/** Makes a chunk ready for a xorb: its header, and its bytes as small as they get. */

import { allocate, copyBytes } from '#platform/bytes'
import { canPack, packFrame } from '#platform/lz4'
import { groupBytes } from './byte-groups.ts'
import { chooseScheme } from './choose-scheme.ts'
import { chunkHeaderLength, type Scheme, writeChunkHeader } from './chunk-header.ts'

/** In this order of preference where two give the same. */
const pack: Record<Scheme, (chunk: Uint8Array) => Uint8Array> = {
  none: (chunk) => chunk,
  lz4: (chunk) => packFrame(chunk),
  groupedLz4: (chunk) => packFrame(groupBytes(chunk)),
}

/** Without its header; the bytes may be the chunk's own. */
export interface PackedBytes {
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
