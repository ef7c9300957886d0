/** How an LZ4 frame begins. */

import { type Flaw, flaw } from './flaw.ts'
import { readUint32, readUint64 } from './little-endian.ts'
import { xxh32 } from './xxh32.ts'

export interface FrameHeader {
  /** What the header takes. */
  readonly length: number
  readonly blockLength: number
  readonly isLinked: boolean
  readonly hasContentChecksum: boolean
}

const magic = 0x184d2204
const shortest = 7

/**
 * Frames with a dictionary are refused: there is none to look it up in. So are those with checksums of their blocks,
 * which no client makes, and which some look for in another place: they would read other bytes than we have hashed.
 */
export function readFrameHeader(frame: Uint8Array, contentLength: number): FrameHeader | Flaw {
  if (frame.length < shortest || readUint32(frame, 0) !== magic) {
    return flaw('it does not begin as an LZ4 frame')
  }
  const [flags, sizes] = [frame[4] ?? 0, frame[5] ?? 0]
  if ((flags & 0b1100_0010) !== 0b0100_0000 || (sizes & 0b1000_1111) !== 0 || sizes < 0b0100_0000) {
    return flaw('its LZ4 frame is of an unknown kind')
  }
  if ((flags & 0b0000_0001) !== 0) return flaw('its LZ4 frame wants a dictionary')
  if ((flags & 0b0001_0000) !== 0) return flaw('its LZ4 frame has checksums of its blocks')
  const hasLength = (flags & 0b0000_1000) !== 0
  const end = hasLength ? shortest + 8 : shortest
  if (frame.length < end) return flaw('its LZ4 frame is cut off')
  if (hasLength && readUint64(frame, 6) !== BigInt(contentLength)) {
    return flaw(`its LZ4 frame announces ${readUint64(frame, 6)} bytes, not ${contentLength}`)
  }
  if (frame[end - 1] !== ((xxh32(frame.subarray(4, end - 1)) >>> 8) & 0xff)) {
    return flaw('its LZ4 frame has a wrong checksum of its header')
  }
  return {
    length: end,
    blockLength: 1 << (2 * (sizes >>> 4) + 8),
    isLinked: (flags & 0b0010_0000) === 0,
    hasContentChecksum: (flags & 0b0000_0100) !== 0,
  }
}
