/** The folders that new objects were written to, until their names are on the disk too: git syncs files alone. */

import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** In place of a hash: a pack was written. */
export const packFolder = 'pack'

export interface WrittenFolders {
  add(folder: string, hash: string): void
  /** Of one repository. */
  sync(folder: string): Promise<void>
  forget(folder: string): void
}

export function writtenFolders(): WrittenFolders {
  /** By the folder of the repository. */
  const unsynced = new Map<string, Set<string>>()
  return {
    add(folder, hash) {
      const names = unsynced.get(folder) ?? new Set()
      unsynced.set(folder, names.add(hash === packFolder ? packFolder : hash.slice(0, 2)))
    },
    async sync(folder) {
      const names = unsynced.get(folder)
      if (names === undefined) return
      unsynced.delete(folder)
      try {
        for (const name of ['.', ...names]) await syncPath(join(folder, 'objects', name))
      } catch (error) {
        // Asked again, it syncs them again.
        unsynced.set(folder, names.union(unsynced.get(folder) ?? new Set()))
        throw error
      }
    },
    forget: (folder) => void unsynced.delete(folder),
  }
}

/** A file, or a folder with the names in it. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path).catch((error) => {
    // The object was there already, in a pack.
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
