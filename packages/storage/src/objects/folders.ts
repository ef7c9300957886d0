/** Folders that are for their owner alone and outlive a loss of power. */

import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from './file-errors.ts'

export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** What was named in it, or taken out of it, is so for good. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes each folder, the outer one first; one that is there may be new itself, and is synced once. */
export function folderMaker(): (folders: readonly string[]) => Promise<void> {
  const lasting = new Set<string>()
  return async (folders) => {
    for (const folder of folders) {
      await makeFolder(folder)
      if (lasting.has(folder)) continue
      await syncFolder(dirname(folder))
      lasting.add(folder)
    }
  }
}
