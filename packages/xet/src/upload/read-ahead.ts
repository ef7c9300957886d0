/** Reads a file in large parts: the next is read while the last one is used, into the same two pieces of memory. */

import type { FileHandle } from 'node:fs/promises'

const partBytes = 1024 * 1024

/** From where the handle stands to the end. A part is good until the next is asked for. */
export async function* readAhead(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const memory = [Buffer.allocUnsafeSlow(partBytes), Buffer.allocUnsafeSlow(partBytes)] as const
  const read = (into: Buffer) => {
    const reading = handle.read(into, 0, into.length)
    // A failure is met where the part is awaited.
    reading.catch(() => {})
    return reading
  }
  let [one, other] = memory
  let next = read(one)
  try {
    for (;;) {
      const { bytesRead } = await next
      if (bytesRead === 0) return
      next = read(other)
      yield one.subarray(0, bytesRead)
      ;[one, other] = [other, one]
    }
  } finally {
    // The handle may be closed afterwards.
    await next.catch(() => {})
  }
}
