/** Looks at every file of a repository once, while others come. */

import type { RepositoryUid } from '@latchkey/protocol'
import { type Selectable, type SqlBool, sql } from 'kysely'
import { isPostgres, unindexed } from '../catalog/dialect.ts'
import type { FileRow, StorageTables } from '../catalog/schema.ts'

export type LookedAt = Pick<Selectable<FileRow>, 'position' | 'hash' | 'bytes' | 'terms'>

/** First at all there are, then at those that came since; in a transaction none is left out. */
export function fileWatch(
  repositoryUid: RepositoryUid,
  look: (file: LookedAt) => void,
): (tables: StorageTables) => Promise<void> {
  let cursor: number | undefined
  return async (tables) => {
    // Asked first: what comes meanwhile is looked at twice rather than never.
    const last = await lastPosition(tables, repositoryUid)
    const files = tables.selectFrom('stored_files').select(['position', 'hash', 'bytes', 'terms'])
    const unseen =
      cursor === undefined
        ? files.where('repository_uid', '=', repositoryUid)
        : files.where('position', '>', cursor).where(isOf(tables, repositoryUid))
    // One by one: what a large file is made of takes megabytes.
    for await (const file of unseen.stream()) look(file)
    cursor = last
  }
}

/** Few files are new, and the position finds them. */
function isOf(tables: StorageTables, repositoryUid: RepositoryUid) {
  return sql<SqlBool>`${unindexed(tables, 'repository_uid')} = ${repositoryUid}`
}

/** On SQLite, of all repositories: there it is the highest of all that were committed. */
async function lastPosition(tables: StorageTables, repositoryUid: RepositoryUid): Promise<number> {
  const row = await tables
    .selectFrom('stored_files')
    .select(({ fn }) => fn.max('position').as('last'))
    .$if(isPostgres(tables), (files) => files.where('repository_uid', '=', repositoryUid))
    .executeTakeFirst()
  return row?.last ?? 0
}
