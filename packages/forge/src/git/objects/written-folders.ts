/** The folders that new objects were written to, until their names are on the disk too: git syncs files alone. */

import { join } from 'node:path'
import { syncToDisk } from '@latchkey/service/machine/files'

/** In place of a hash: a pack was written. */
export const packFolder = 'pack'

export interface WrittenFolders {
  add(folder: string, hash: string): void
  /** Syncs the folders of one repository. */
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
        for (const name of ['.', ...names]) await syncUnlessPacked(join(folder, 'objects', name))
      } catch (error) {
        // Asked again, it syncs them again.
        unsynced.set(folder, names.union(unsynced.get(folder) ?? new Set()))
        throw error
      }
    },
    forget: (folder) => void unsynced.delete(folder),
  }
}

/** The folder of an object that was there before, in a pack, does not exist. */
async function syncUnlessPacked(folder: string): Promise<void> {
  try {
    await syncToDisk(folder)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
