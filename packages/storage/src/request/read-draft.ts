/** The bytes of a draft, one read after the other. */

import { open } from 'node:fs/promises'

const readLength = 64 * 1024

/** Nothing is read ahead: how much of a refused draft was read depends on what it says, not on how fast the disk is. */
export async function* readDraft(file: string): AsyncGenerator<Uint8Array, void> {
  const handle = await open(file)
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(readLength))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
