/** The names of repositories, from a hub's database. */

import type { Store } from '@latchkey/hub/management'
import { formatRepoRef, type RepoRef, type RepositoryUid } from '@latchkey/protocol'

export function namesIn({ readBeside }: Store) {
  return {
    uidOf: (repo: RepoRef): Promise<RepositoryUid | undefined> =>
      readBeside(async (tables) => {
        const row = await tables
          .selectFrom('repositories')
          .select('uid')
          .where('path', '=', formatRepoRef(repo))
          .executeTakeFirst()
        return row?.uid
      }),
    pathsOf: (uids: readonly RepositoryUid[]): Promise<ReadonlyMap<RepositoryUid, string>> =>
      readBeside(async (tables) => {
        const rows = await tables
          .selectFrom('repositories')
          .select(['uid', 'path'])
          .where('uid', 'in', uids)
          .execute()
        return new Map(rows.map(({ uid, path }) => [uid, path]))
      }),
  }
}
