/** Brings a file or a folder to the disk. */

import { open } from 'node:fs/promises'

export async function syncPath(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
