/** The bytes of a chunk as they were before they were packed: exactly as many as its header says, or a flaw. */

import { ungroupBytes } from './byte-groups.ts'
import {
  type ChunkHeader,
  chunkHeaderLength,
  readChunkHeader,
  type Scheme,
} from './chunk-header.ts'
import { type FormatError, formatError, isFormatError } from './format-error.ts'
import { unpackFrame } from './unpack-frame.ts'

const unpack: Record<Scheme, (packed: Uint8Array, length: number) => Uint8Array | FormatError> = {
  none: (packed, length) =>
    packed.length === length ? packed : formatError(`it has ${packed.length} bytes, not ${length}`),
  lz4: unpackFrame,
  groupedLz4(packed, length) {
    const grouped = unpackFrame(packed, length)
    return isFormatError(grouped) ? grouped : ungroupBytes(grouped)
  },
}

/** `packed` is what stands behind the header; the result may be a view of it. */
export function unpackChunk(header: ChunkHeader, packed: Uint8Array): Uint8Array | FormatError {
  return unpack[header.scheme](packed, header.unpackedLength)
}

/** Unpacks one chunk with its header, and no bytes behind it. */
export function unpackWhole(chunk: Uint8Array): Uint8Array | FormatError {
  if (chunk.length < chunkHeaderLength) return formatError('a chunk is cut off in its header')
  const header = readChunkHeader(chunk)
  if (isFormatError(header)) return header
  const packed = chunk.subarray(chunkHeaderLength)
  if (packed.length !== header.packedLength) {
    return formatError(`a chunk takes ${packed.length} bytes packed, not ${header.packedLength}`)
  }
  return unpackChunk(header, packed)
}
