/** Reads a file in large parts, each where its reader wants it. */

import { allocate } from '#platform/bytes'

const partBytes = 1024 * 1024

/** As much of a file that Node has opened as is used here. */
interface ReadableHandle {
  read(memory: Uint8Array, offset: number, length: number): Promise<{ readonly bytesRead: number }>
}

/**
 * From where the handle stands to the end. A part is read into the memory that `next` was called with, or else into memory
 * of our own, where it is good until the next is asked for.
 *
 * @example
 * ```ts
 * const upload = startUpload(calls)
 * const { hash } = await upload.add(readParts(await open('weights.bin')))
 * ```
 */
export async function* readParts(
  handle: ReadableHandle,
): AsyncGenerator<Uint8Array, void, Uint8Array | undefined> {
  const own = allocate(partBytes)
  let nextMemory: Uint8Array | undefined
  for (;;) {
    const memory = nextMemory ?? own
    const { bytesRead } = await handle.read(memory, 0, memory.length)
    if (bytesRead === 0) return
    nextMemory = yield memory.subarray(0, bytesRead)
  }
}
