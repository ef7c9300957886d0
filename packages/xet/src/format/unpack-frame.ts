/** Unpacks one LZ4 frame whose length is known beforehand; what a frame claims never decides how much is allocated. */

import { allocate } from '#platform/bytes'
import { unpackBlock } from '#platform/lz4'
import { readInt32, readUint32, readUint64 } from './bytes.ts'
import { type FormatError, formatError, isFormatError } from './format-error.ts'

/** How an LZ4 frame begins. */
interface FrameHeader {
  /** Bytes of the header. */
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
function readFrameHeader(frame: Uint8Array, contentLength: number): FrameHeader | FormatError {
  if (frame.length < shortest || readUint32(frame, 0) !== magic) {
    return formatError('it does not begin as an LZ4 frame')
  }
  const [flags, sizes] = [frame[4] ?? 0, frame[5] ?? 0]
  if ((flags & 0b1100_0010) !== 0b0100_0000 || (sizes & 0b1000_1111) !== 0 || sizes < 0b0100_0000) {
    return formatError('its LZ4 frame is of an unknown kind')
  }
  if ((flags & 0b0000_0001) !== 0) return formatError('its LZ4 frame wants a dictionary')
  if ((flags & 0b0001_0000) !== 0) return formatError('its LZ4 frame has checksums of its blocks')
  const hasLength = (flags & 0b0000_1000) !== 0
  const end = hasLength ? shortest + 8 : shortest
  if (frame.length < end) return formatError('its LZ4 frame is cut off')
  if (hasLength && readUint64(frame, 6) !== BigInt(contentLength)) {
    return formatError(
      `its LZ4 frame announces ${readUint64(frame, 6)} bytes, not ${contentLength}`,
    )
  }
  if (frame[end - 1] !== ((xxh32(frame.subarray(4, end - 1)) >>> 8) & 0xff)) {
    return formatError('its LZ4 frame has a wrong checksum of its header')
  }
  return {
    length: end,
    blockLength: 1 << (2 * (sizes >>> 4) + 8),
    isLinked: (flags & 0b0010_0000) === 0,
    hasContentChecksum: (flags & 0b0000_0100) !== 0,
  }
}

/** How far back a block may refer into the blocks before it. */
const windowLength = 64 * 1024
const isStored = 0x80000000
/** Clients make one or two; a frame of many takes longer than it is worth. */
const maxBlocks = 8

/** Exactly `length` bytes, from exactly one frame. */
export function unpackFrame(frame: Uint8Array, length: number): Uint8Array | FormatError {
  const header = readFrameHeader(frame, length)
  if (isFormatError(header)) return header
  const blocks = unpackBlocks(frame, header, length)
  if (isFormatError(blocks)) return blocks
  const { bytes, end } = blocks
  if (bytes.length !== length)
    return formatError(`it unpacks to ${bytes.length} bytes, not ${length}`)
  if (frame.length !== end + (header.hasContentChecksum ? 4 : 0)) {
    return formatError('its LZ4 frame does not end where it should')
  }
  if (header.hasContentChecksum && readUint32(frame, end) !== xxh32(bytes)) {
    return formatError('its LZ4 frame has a wrong checksum of its content')
  }
  return bytes
}

interface Blocks {
  readonly bytes: Uint8Array
  /** Behind the mark that ends them. */
  readonly end: number
}

function unpackBlocks(
  frame: Uint8Array,
  header: FrameHeader,
  length: number,
): Blocks | FormatError {
  const bytes = allocate(length)
  let [offset, filled] = [header.length, 0]
  for (let count = 0; offset + 4 <= frame.length; count += 1) {
    const word = readUint32(frame, offset)
    offset += 4
    if (word === 0) return { bytes: bytes.subarray(0, filled), end: offset }
    if (count === maxBlocks) return formatError(`its LZ4 frame has more than ${maxBlocks} blocks`)
    const packed = blockAt(frame, offset, word, header)
    if (isFormatError(packed)) return packed
    offset += packed.length
    const room = Math.min(header.blockLength, length - filled)
    const before = bytes.subarray(0, filled)
    const block = word >= isStored ? packed : unpack(packed, room, header, before)
    if (isFormatError(block)) return block
    if (block.length === 0 || block.length > room) {
      return formatError(`one of its LZ4 blocks has ${block.length} bytes, not 1 to ${room}`)
    }
    bytes.set(block, filled)
    filled += block.length
  }
  return formatError('its LZ4 frame is cut off')
}

function blockAt(
  frame: Uint8Array,
  offset: number,
  word: number,
  { blockLength }: FrameHeader,
): Uint8Array | FormatError {
  const length = word & 0x7fffffff
  if (length === 0 || length > blockLength) {
    return formatError(`one of its LZ4 blocks takes ${length} bytes, not 1 to ${blockLength}`)
  }
  const end = offset + length
  return end > frame.length ? formatError('its LZ4 frame is cut off') : frame.subarray(offset, end)
}

function unpack(
  packed: Uint8Array,
  room: number,
  { isLinked }: FrameHeader,
  before: Uint8Array,
): Uint8Array | FormatError {
  try {
    return unpackBlock(packed, room, isLinked ? before.subarray(-windowLength) : nothing)
  } catch {
    return formatError(
      `one of its LZ4 blocks cannot be unpacked into the ${room} bytes that are left`,
    )
  }
}

const nothing = new Uint8Array(0)

const prime1 = 0x9e3779b1
const prime2 = 0x85ebca77
const prime3 = 0xc2b2ae3d
const prime4 = 0x27d4eb2f
const prime5 = 0x165667b1
const stripe = 16

export function xxh32(bytes: Uint8Array): number {
  const stripesEnd = bytes.length - (bytes.length % stripe)
  let hash = (stripesEnd > 0 ? hashStripes(bytes, stripesEnd) : prime5) + bytes.length
  let offset = stripesEnd
  for (; offset + 4 <= bytes.length; offset += 4) {
    hash = Math.imul(rotate(hash + Math.imul(readInt32(bytes, offset), prime3), 17), prime4)
  }
  for (; offset < bytes.length; offset += 1) {
    hash = Math.imul(rotate(hash + Math.imul(bytes[offset] ?? 0, prime5), 11), prime1)
  }
  return avalanche(hash)
}

function hashStripes(bytes: Uint8Array, end: number): number {
  let a = (prime1 + prime2) | 0
  let b = prime2 | 0
  let c = 0
  let d = -prime1 | 0
  for (let offset = 0; offset < end; offset += stripe) {
    a = round(a, readInt32(bytes, offset))
    b = round(b, readInt32(bytes, offset + 4))
    c = round(c, readInt32(bytes, offset + 8))
    d = round(d, readInt32(bytes, offset + 12))
  }
  return rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)
}

function round(lane: number, word: number): number {
  return Math.imul(rotate(lane + Math.imul(word, prime2), 13), prime1)
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function avalanche(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 15), prime2)
  mixed = Math.imul(mixed ^ (mixed >>> 13), prime3)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
