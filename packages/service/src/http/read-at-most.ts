/** Reads a stream to its end, as long as that is not too far. */

/**
 * Undefined when there is more than `most`; the rest is not read. The parts are copied as they come: a client that sends
 * its bytes one by one would make us keep an object for each of them.
 */
export async function readAtMost(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Buffer | undefined> {
  let bytes: Buffer = Buffer.alloc(0)
  let length = 0
  for await (const part of stream) {
    const end = length + part.length
    if (end > most) return undefined
    if (end > bytes.length) bytes = grown(bytes, Math.min(most, Math.max(end, 2 * length)))
    bytes.set(part, length)
    length = end
  }
  return bytes.subarray(0, length)
}

function grown(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size)
  larger.set(bytes)
  return larger
}
