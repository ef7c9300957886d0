/** The eight bytes before every chunk of a xorb. */

import { readUint24, writeUint24 } from './bytes.ts'
import { type FormatError, formatError } from './format-error.ts'
import { maxChunkBytes, maxPackedChunkBytes } from './limits.ts'

export const chunkHeaderLength = 8

/** How the bytes of a chunk are packed. */
export const schemes = { none: 0, lz4: 1, groupedLz4: 2 } as const

export type Scheme = keyof typeof schemes

export interface ChunkHeader {
  readonly scheme: Scheme
  readonly packedLength: number
  readonly unpackedLength: number
}

const version = 0
const schemeOf: readonly Scheme[] = ['none', 'lz4', 'groupedLz4']

/** Reads the eight bytes that `bytes` begins with. */
export function readChunkHeader(bytes: Uint8Array): ChunkHeader | FormatError {
  if (bytes[0] !== version) return formatError(`its version is ${bytes[0]}, not ${version}`)
  const packedLength = readUint24(bytes, 1)
  const unpackedLength = readUint24(bytes, 5)
  const scheme = schemeOf[bytes[4] ?? 0]
  if (scheme === undefined) return formatError(`its packing is ${bytes[4]}, not 0, 1 or 2`)
  if (unpackedLength === 0 || unpackedLength > maxChunkBytes) {
    return formatError(`it would have ${unpackedLength} bytes, not 1 to ${maxChunkBytes}`)
  }
  if (packedLength === 0 || packedLength > maxPackedChunkBytes) {
    return formatError(`it takes ${packedLength} bytes packed, not 1 to ${maxPackedChunkBytes}`)
  }
  return { scheme, packedLength, unpackedLength }
}

export function writeChunkHeader(header: ChunkHeader, into: Uint8Array, offset = 0): void {
  into[offset] = version
  writeUint24(into, header.packedLength, offset + 1)
  into[offset + 4] = schemes[header.scheme]
  writeUint24(into, header.unpackedLength, offset + 5)
}
