/** Files that tell after a crash which repositories may differ from the directory. */

import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asRepositoryUid, idPattern, type RepositoryUid } from '@latchkey/protocol'
import { syncPath } from '@latchkey/service/sync-path'

export interface Markers {
  /** On the disk when the promise settles. */
  set(uid: RepositoryUid): Promise<void>
  clear(uid: RepositoryUid): Promise<void>
  list(): Promise<readonly RepositoryUid[]>
}

export async function openMarkers(folder: string): Promise<Markers> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const fileOf = (uid: RepositoryUid) => {
    if (!idPattern.test(uid)) throw new TypeError('a repository is named by its uid')
    return join(folder, uid)
  }
  return {
    async set(uid) {
      const file = await open(fileOf(uid), 'w', 0o600)
      await file.close()
      syncPath(folder)
    },
    // A marker that comes back after a crash costs one look at its repository.
    clear: (uid) => rm(fileOf(uid), { force: true }),
    async list() {
      const names = await readdir(folder)
      return names.filter((name) => idPattern.test(name)).map((name) => asRepositoryUid(name))
    },
  }
}
