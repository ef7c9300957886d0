/** Packets of git's wire format (`pkt-line`): four hexadecimal digits give the length, digits included. */

import { OpenBytes } from '../../words/open-bytes.ts'

const digits = 4
const maxPacketBytes = 65_520

/**
 * Cuts a body where packets end: each result holds one or more whole packets. A body ends at a length that git would not
 * read. Each byte is read once, also where a client sends byte by byte.
 */
export async function* wholePackets(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void, undefined> {
  const open = new OpenBytes()
  for await (const part of body) {
    let rest = Buffer.from(part.buffer, part.byteOffset, part.length)
    if (open.length > 0) {
      rest = fill(open, rest, digits)
      if (open.length < digits) continue
      const length = packetLength(open.bytes, 0)
      if (length === undefined) return
      rest = fill(open, rest, length)
      if (open.length < length) continue
      yield open.take()
    }
    const { end, isReadable } = lastEnd(rest)
    if (end > 0) yield rest.subarray(0, end)
    if (!isReadable) return
    open.append(rest.subarray(end))
  }
}

/** The bytes that are left when the open packet has `length` of them, or all there are. */
function fill(open: OpenBytes, bytes: Buffer, length: number): Buffer {
  const missing = Math.max(0, length - open.length)
  open.append(bytes.subarray(0, missing))
  return bytes.subarray(missing)
}

function lastEnd(bytes: Buffer): { readonly end: number; readonly isReadable: boolean } {
  let at = 0
  while (bytes.length - at >= digits) {
    const length = packetLength(bytes, at)
    if (length === undefined) return { end: at, isReadable: false }
    if (at + length > bytes.length) break
    at += length
  }
  return { end: at, isReadable: true }
}

/** The length of the packet that begins there, digits included. Undefined for a length that git would not read. */
export function packetLength(bytes: Buffer, at: number): number | undefined {
  const length = hexByte(bytes, at) * 256 + hexByte(bytes, at + 2)
  // 0, 1 and 2 stand alone: they end a request and its parts.
  if (length < 3) return digits
  return length > 3 && length <= maxPacketBytes ? length : undefined
}

/** NaN for other characters. */
function hexByte(bytes: Buffer, at: number): number {
  return hexDigit(bytes[at]) * 16 + hexDigit(bytes[at + 1])
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : Number.NaN
}
