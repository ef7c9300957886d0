/** Makes a chunk ready for a xorb: its header, and its bytes as small as they get. */

import { compressFrameSync } from 'lz4-napi'
import { groupBytes } from './byte-groups.ts'
import { chooseScheme } from './choose-scheme.ts'
import { chunkHeaderLength, type Scheme, writeChunkHeader } from './chunk-header.ts'

/** In this order of preference where two give the same. */
const pack: Record<Scheme, (chunk: Buffer) => Buffer> = {
  none: (chunk) => chunk,
  lz4: (chunk) => compressFrameSync(chunk),
  groupedLz4: (chunk) => compressFrameSync(groupBytes(chunk)),
}

/** Without its header; the bytes may be the chunk's own. */
export interface PackedBytes {
  readonly scheme: Scheme
  readonly bytes: Buffer
}

/** Without a scheme, the one that gives the smallest. */
export function packChunk(chunk: Uint8Array, scheme?: Scheme): Buffer {
  const bytes = bufferOf(chunk)
  const packed = scheme === undefined ? smallest(bytes) : { scheme, bytes: pack[scheme](bytes) }
  const whole = Buffer.allocUnsafe(chunkHeaderLength + packed.bytes.length)
  writePacked(packed, chunk.length, whole)
  return whole
}

/** As the sample promises; a chunk that gets no smaller stays as it is. */
export function packBytes(chunk: Uint8Array): PackedBytes {
  const own = { scheme: 'none', bytes: bufferOf(chunk) } as const
  const scheme = chooseScheme(chunk)
  const packed = { scheme, bytes: pack[scheme](own.bytes) }
  return packed.bytes.length < chunk.length ? packed : own
}

/** Writes header and bytes to the beginning of `into`. */
export function writePacked(
  { scheme, bytes }: PackedBytes,
  unpackedLength: number,
  into: Buffer,
): void {
  writeChunkHeader({ scheme, packedLength: bytes.length, unpackedLength }, into)
  into.set(bytes, chunkHeaderLength)
}

function smallest(chunk: Buffer): PackedBytes {
  let best: PackedBytes = { scheme: 'none', bytes: chunk }
  for (const scheme of ['lz4', 'groupedLz4'] as const) {
    const bytes = pack[scheme](chunk)
    if (bytes.length < best.bytes.length) best = { scheme, bytes }
  }
  return best
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
