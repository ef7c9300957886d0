/** The names of the repositories at `casUrl`, for commands that know them by uid. */

import { defaultStorage, formatRepoRef, type RepoRef, type RepositoryUid } from '@latchkey/protocol'
import type { Store } from '../stores/store.ts'
import { chunked } from '../tables/columns.ts'

export interface LinkedRepositoryNames {
  uidOf(repo: RepoRef): Promise<RepositoryUid | undefined>
  /** `models/acme/bert`; uids that the directory does not have are left out. */
  pathsOf(uids: readonly RepositoryUid[]): Promise<ReadonlyMap<RepositoryUid, string>>
}

export function repositoryNames({ readBeside }: Pick<Store, 'readBeside'>): LinkedRepositoryNames {
  return {
    uidOf: (repo) =>
      readBeside(async (tables) => {
        const row = await tables
          .selectFrom('repositories')
          .select('uid')
          .where('path', '=', formatRepoRef(repo))
          .where('storage', '=', defaultStorage)
          .executeTakeFirst()
        return row?.uid
      }),
    pathsOf: (uids) =>
      readBeside(async (tables) => {
        const paths = new Map<RepositoryUid, string>()
        for (const some of chunked(uids)) {
          const rows = await tables
            .selectFrom('repositories')
            .select(['uid', 'path'])
            .where('uid', 'in', some)
            .where('storage', '=', defaultStorage)
            .execute()
          for (const { uid, path } of rows) paths.set(uid, path)
        }
        return paths
      }),
  }
}
