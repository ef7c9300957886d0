/** Reads a run of bytes of a file, through two buffers that take turns. */

import type { FileHandle } from 'node:fs/promises'
import { openFirst } from './open-first.ts'

/** As much as a stream of Node reads at once. */
const bufferLength = 64 * 1024

/**
 * Bytes `start` to `end`, the last one included. A part is good until the next is asked for: new memory
 * for each would have the whole heap searched for garbage with every 64 MB.
 */
export async function* readBytes(
  /** Where it may lie. */
  files: readonly string[],
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, void> {
  const handle = await openFirst(files)
  try {
    const buffers = twoBuffers(Math.min(bufferLength, end + 1 - start))
    const readFrom = (position: number) =>
      readWhole(handle, buffers().subarray(0, end + 1 - position), position)
    let reading = readFrom(start)
    for (let next = start + bufferLength; next <= end; next += bufferLength) {
      const part = await reading
      reading = readFrom(next)
      // Whoever leaves here does not wait for it.
      reading.catch(() => {})
      yield part
    }
    yield await reading
  } finally {
    await handle.close()
  }
}

/** Gives one and the other in turn. */
function twoBuffers(length: number): () => Buffer {
  const buffers = [Buffer.allocUnsafeSlow(length), Buffer.allocUnsafeSlow(length)]
  return () => {
    buffers.reverse()
    return buffers[0] ?? Buffer.alloc(0)
  }
}

async function readWhole(handle: FileHandle, into: Buffer, position: number): Promise<Buffer> {
  let read = 0
  while (read < into.length) {
    const { bytesRead } = await handle.read(into, read, into.length - read, position + read)
    if (bytesRead === 0) throw new Error('a stored object ends before its bytes do')
    read += bytesRead
  }
  return into
}
