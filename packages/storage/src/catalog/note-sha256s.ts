/** Writes down the SHA-256 that was computed from the stored bytes of files. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { HashedFile } from './catalog.ts'
import type { CatalogDatabase } from './catalog-database.ts'
import { hold } from './locks.ts'

/** A fact about bytes, which changes neither what is visible nor what counts: no stamp, and no question to the hub. */
export async function noteSha256s(
  { change, inTurn }: CatalogDatabase,
  repositoryUid: RepositoryUid,
  files: readonly HashedFile[],
): Promise<void> {
  if (files.length === 0) return
  await inTurn(repositoryUid, () =>
    change(async (tables) => {
      await hold(tables, { repositories: [repositoryUid] })
      for (const { refUid, hash, sha256 } of files) {
        await tables
          .updateTable('stored_files')
          .set({ sha256 })
          .where('ref_uid', '=', refUid)
          .where('hash', '=', hash)
          .where('repository_uid', '=', repositoryUid)
          .execute()
      }
    }),
  )
}
