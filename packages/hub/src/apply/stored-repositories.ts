/** What the directory holds of some repositories that a file names, read in few statements. */

import { pathOf, type RepositoryEntry } from '@latchkey/admin-api'
import type { RefName } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { Reading } from '../tables/directory.ts'
import type { RepositoryRow } from '../tables/rows.ts'
import type { StoredRef } from '../verbs/change-refs.ts'
import { type StoredRoles, storedCollaborators } from './stored-roles.ts'

export interface StoredRepositories {
  /** By lower-case path. */
  readonly rows: ReadonlyMap<string, RepositoryRow>
  /** By uid. */
  readonly roles: StoredRoles
  readonly refs: ReadonlyMap<string, readonly StoredRef[]>
}

/** At most as many entries as one statement may have values. */
export async function storedRepositories(
  tables: Reading,
  entries: readonly RepositoryEntry[],
): Promise<StoredRepositories> {
  const paths = entries.map((entry) => pathOf(entry).toLowerCase())
  const found = await tables
    .selectFrom('repositories')
    .selectAll()
    .where(sql<string>`lower(path)`, 'in', paths)
    .execute()
  const rows = new Map(found.map((row) => [row.path.toLowerCase(), row]))
  const uids = found.map(({ uid }) => uid)
  return {
    rows,
    roles: await storedCollaborators(tables, uids),
    refs: uids.length === 0 ? new Map() : await storedRefs(tables, uids),
  }
}

async function storedRefs(tables: Reading, uids: readonly RepositoryRow['uid'][]) {
  const refs = new Map<string, StoredRef[]>()
  const rows = await tables
    .selectFrom('refs')
    .selectAll()
    .where('repository_uid', 'in', uids)
    .orderBy('position')
    .execute()
  for (const row of rows) {
    const own = refs.get(row.repository_uid) ?? []
    own.push({ ...row, name: row.name as RefName })
    refs.set(row.repository_uid, own)
  }
  return refs
}
