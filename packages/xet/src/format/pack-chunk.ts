/** Makes a chunk ready for a xorb: its header, and its bytes as small as they get. */

import { compressFrameSync } from 'lz4-napi'
import { groupBytes } from './byte-groups.ts'
import { chunkHeaderLength, type Scheme, writeChunkHeader } from './chunk-header.ts'

/** In this order of preference where two give the same. */
const pack: Record<Scheme, (chunk: Buffer) => Buffer> = {
  none: (chunk) => chunk,
  lz4: (chunk) => compressFrameSync(chunk),
  groupedLz4: (chunk) => compressFrameSync(groupBytes(chunk)),
}

/** Without a scheme, the one that gives the smallest. */
export function packChunk(chunk: Uint8Array, scheme?: Scheme): Buffer {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const [chosen, packed] = scheme === undefined ? smallest(bytes) : [scheme, pack[scheme](bytes)]
  const whole = Buffer.allocUnsafe(chunkHeaderLength + packed.length)
  const lengths = { packedLength: packed.length, unpackedLength: chunk.length }
  writeChunkHeader({ scheme: chosen, ...lengths }, whole)
  packed.copy(whole, chunkHeaderLength)
  return whole
}

function smallest(chunk: Buffer): [Scheme, Buffer] {
  let best: [Scheme, Buffer] = ['none', chunk]
  for (const scheme of ['lz4', 'groupedLz4'] as const) {
    const packed = pack[scheme](chunk)
    if (packed.length < best[1].length) best = [scheme, packed]
  }
  return best
}
