/** Readers of short bodies collect their parts, and there is little to gain. */
const minBytes = 4096

/**
 * Gives the memory of a part of a body back at once, when nobody needs the part any more.
 *
 * Node reads every part of a body into a new buffer of 64 KiB, outside of the heap. V8 counts those bytes, and after some
 * dozens of MiB it marks the whole heap to get them back: that took more time than all the rest of a download.
 */
export function freePart(part: Uint8Array): void {
  if (ownsItsMemory(part)) part.buffer.transfer(0)
}

/**
 * Whether nobody else needs the memory. What stands before the part has been read already; behind it there may be the
 * beginning of something else. Small buffers share a pool, of which none has more than half.
 */
function ownsItsMemory(part: Uint8Array): part is Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = part
  if (byteLength < minBytes) return false
  const isLast = byteOffset + byteLength === buffer.byteLength
  return isLast && byteLength * 2 > buffer.byteLength && buffer instanceof ArrayBuffer
}
