/** Gives the memory of a part of a body back at once. */

/** A part of fewer bytes may lie in memory that others use too. */
const minBytes = 4096

/**
 * For a part that Node's parser has made, when nobody needs it any more. Tens of megabytes of such garbage would have the
 * whole heap searched, again and again: that takes more of the processor than the transfer itself.
 */
export function freePart(part: Uint8Array): void {
  const { buffer, byteLength } = part
  if (byteLength < minBytes || byteLength !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
