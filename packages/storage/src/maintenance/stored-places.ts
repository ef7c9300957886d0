/** The repositories, refs and commits that have content here, by uid. */

import type { RefUid, RepositoryUid } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { StorageTables } from '../catalog/schema.ts'
import type { Amount } from './amount.ts'

/** With the repository that each ref or commit is of; without those that the hub has removed. */
export type StoredPlaces = ReadonlyMap<RefUid, RepositoryUid>

export async function storedPlaces(tables: StorageTables): Promise<StoredPlaces> {
  const places = new Map<RefUid, RepositoryUid>()
  for (const table of ['stored_xorbs', 'stored_files', 'stored_chunks'] as const) {
    for (const { uid, repository } of await placesIn(tables, table)) places.set(uid, repository)
  }
  return places
}

/** From one uid to the next by the index: a place with a million rows costs one step. */
async function placesIn(tables: StorageTables, name: string) {
  const table = sql.table(name)
  const { rows } = await sql<{ uid: RefUid; repository: RepositoryUid }>`
    WITH RECURSIVE uids (uid) AS (
      SELECT min(ref_uid) FROM ${table}
      UNION ALL
      SELECT (SELECT min(ref_uid) FROM ${table} WHERE ref_uid > uid) FROM uids WHERE uid IS NOT NULL
    ), places AS (
      SELECT uid, (SELECT repository_uid FROM ${table} WHERE ref_uid = uid LIMIT 1) AS repository
        FROM uids WHERE uid IS NOT NULL
    )
    SELECT uid, repository FROM places
      WHERE uid NOT IN (SELECT uid FROM removed_places)
        AND repository NOT IN (SELECT uid FROM removed_places)`.execute(tables)
  return rows
}

/** The amount that the rows of a repository, ref or commit count for a quota. */
export async function amountIn(
  tables: StorageTables,
  column: 'repository_uid' | 'ref_uid',
  uid: RepositoryUid | RefUid,
): Promise<Amount> {
  const { rows } = await sql<Amount>`
    SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM (
      SELECT packed_bytes AS bytes FROM stored_xorbs WHERE ${sql.ref(column)} = ${uid}
      UNION ALL
      SELECT length(terms) FROM stored_files WHERE ${sql.ref(column)} = ${uid}) AS held`.execute(
    tables,
  )
  return rows[0] ?? { count: 0, bytes: 0 }
}
