/** Repositories and refs that the hub has removed: tombstones, and the rows behind them. */

import type { PlaceUid } from '@latchkey/gate/hub-link'
import type { RepositoryUid, UnixSeconds } from '@latchkey/protocol'
import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import { type RawBuilder, sql } from 'kysely'
import { inBatches } from './batches.ts'
import type { Place } from './catalog.ts'
import type { CatalogDatabase } from './catalog-database.ts'
import { columnList, literalFalse, texts } from './dialect.ts'
import { setQuotasAfter } from './link-state.ts'
import { hold } from './locks.ts'
import type { StorageTables } from './schema.ts'

export async function addTombstones(
  tables: StorageTables,
  uids: readonly PlaceUid[],
  now: UnixSeconds,
): Promise<void> {
  for (const some of inBatches(uids)) {
    await tables
      .insertInto('removed_places')
      .values(some.map((uid) => ({ uid, removed_at: now })))
      .onConflict((existing) => existing.doNothing())
      .execute()
    // It makes room in its namespace, before its rows are deleted.
    const repositories = some.map((uid) => uid as RepositoryUid)
    await tables
      .deleteFrom('repository_quotas')
      .where('repository_uid', 'in', repositories)
      .execute()
  }
}

export async function isRemoved(
  tables: StorageTables,
  { repositoryUid, refUid }: Place,
): Promise<boolean> {
  const found = await tables
    .selectFrom('removed_places')
    .select('uid')
    .where('uid', 'in', [repositoryUid, refUid])
    .executeTakeFirst()
  return found !== undefined
}

export async function tombstones(tables: StorageTables): Promise<readonly PlaceUid[]> {
  const rows = await tables.selectFrom('removed_places').select('uid').execute()
  return rows.map(({ uid }) => uid as PlaceUid)
}

/** The hub has these again, from a backup. What is left of their rows is shown again. */
export async function liftTombstones(
  tables: StorageTables,
  uids: readonly PlaceUid[],
): Promise<void> {
  for (const some of inBatches(uids)) {
    await tables.deleteFrom('removed_places').where('uid', 'in', some).execute()
  }
  // Their namespaces and quotas are forgotten.
  if (uids.length > 0) await setQuotasAfter(tables, '')
}

/** So many rows take a few hundredths of a second, and other writers come between. */
const rowsAtOnce = 500

/** A transaction of its own for each would cost a sync of the disk. */
const placesAtOnce = 10

/** Places without rows in one statement; most have none. */
const emptyPlacesAtOnce = 250

/** Deletes the rows of removed places, a few in each transaction; `isStopped` ends it between two. */
export async function sweepPlaces(
  database: CatalogDatabase,
  isStopped: () => boolean = () => false,
): Promise<void> {
  while (!isStopped()) {
    const next = await database.read(nextUnswept)
    if (next.length === 0) return
    const repositories = await database.read((tables) => repositoriesOf(tables, next))
    await database.change(async (tables) => {
      await hold(tables, { link: 'shared', sweep: true, repositories })
      await sweepSome(tables, next)
    })
    // SQLite answers synchronously: without a pause, requests would wait for thousands of removed places.
    await yieldToEventLoop()
  }
}

async function sweepSome(tables: StorageTables, next: readonly string[]): Promise<void> {
  await markEmpty(tables)
  // A tombstone may have been lifted meanwhile.
  const unswept = new Set(await nextUnswept(tables, next))
  let room = rowsAtOnce
  for (const uid of next) {
    if (room === 0) return
    if (unswept.has(uid)) room = await sweepPlace(tables, uid, room)
  }
}

/** The first few of all, or those of `among`. */
async function nextUnswept(
  tables: StorageTables,
  among?: readonly string[],
): Promise<readonly string[]> {
  const found = await tables
    .selectFrom('removed_places')
    .select('uid')
    .where('is_swept', '=', literalFalse(tables))
    .$if(among !== undefined, (places) => places.where('uid', 'in', among ?? []))
    .orderBy('removed_at')
    .limit(placesAtOnce)
    .execute()
  return found.map(({ uid }) => uid)
}

/** A place is a repository itself, or all its rows are of one. */
async function repositoriesOf(
  tables: StorageTables,
  uids: readonly string[],
): Promise<readonly RepositoryUid[]> {
  const found = new Set(uids as readonly RepositoryUid[])
  const one = (table: string) =>
    sql`(SELECT r.repository_uid FROM ${sql.table(table)} AS r WHERE r.ref_uid = places.uid LIMIT 1)`
  const { rows } = await sql<{ uid: RepositoryUid | null }>`
    SELECT coalesce(${one('stored_files')}, ${one('stored_chunks')}, ${one('stored_xorbs')}) AS uid
    FROM ${columnList(tables, 'places', { uid: texts(uids) })}`.execute(tables)
  for (const { uid } of rows) if (uid !== null) found.add(uid)
  return [...found]
}

async function markEmpty(tables: StorageTables): Promise<void> {
  const has = (table: string, column: string) =>
    sql`EXISTS (SELECT 1 FROM ${sql.table(table)} AS r WHERE ${sql.ref(`r.${column}`)} = next.uid)`
  await sql`
    UPDATE removed_places SET is_swept = ${1} WHERE uid IN (
      SELECT uid FROM (
        SELECT uid FROM removed_places WHERE is_swept = ${literalFalse(tables)}
        ORDER BY removed_at LIMIT ${emptyPlacesAtOnce}) AS next
      WHERE NOT (${has('stored_files', 'ref_uid')} OR ${has('stored_files', 'repository_uid')}
        OR ${has('stored_chunks', 'ref_uid')} OR ${has('stored_chunks', 'repository_uid')}
        OR ${has('stored_xorbs', 'ref_uid')} OR ${has('stored_xorbs', 'repository_uid')}
        OR ${has('file_uploads', 'ref_uid')} OR ${has('file_uploads', 'repository_uid')}
        OR ${has('stored_totals', 'repository_uid')}))`.execute(tables)
}

/** Files before the xorbs that they are made of, so that what is there lacks nothing at any time. Gives how many more rows may go. */
async function sweepPlace(tables: StorageTables, uid: string, most: number): Promise<number> {
  // Each account has few.
  await sql`DELETE FROM file_uploads WHERE ref_uid = ${uid} OR repository_uid = ${uid}`.execute(
    tables,
  )
  let room = most
  for (const table of ['stored_files', 'stored_chunks', 'stored_xorbs'] as const) {
    for (const column of ['ref_uid', 'repository_uid'] as const) {
      if (room === 0) return room
      room -= await deleteSome(tables, sql`${sql.table(table)}`, { column, uid, most: room })
    }
  }
  if (room === 0) return room
  await sql`DELETE FROM stored_totals WHERE repository_uid = ${uid}`.execute(tables)
  await sql`UPDATE removed_places SET is_swept = ${1} WHERE uid = ${uid}`.execute(tables)
  return room
}

async function deleteSome(
  tables: StorageTables,
  table: RawBuilder<unknown>,
  { column, uid, most }: { readonly column: string; readonly uid: string; readonly most: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${table} WHERE (ref_uid, hash) IN (
      SELECT ref_uid, hash FROM ${table} WHERE ${sql.ref(column)} = ${uid} LIMIT ${most})`.execute(
    tables,
  )
  return Number(numAffectedRows)
}

/** No token for these places can be in use any more, and their rows are deleted. */
export async function forgetTombstones(tables: StorageTables, before: UnixSeconds): Promise<void> {
  await tables
    .deleteFrom('removed_places')
    .where('is_swept', '=', 1)
    .where('removed_at', '<', before)
    .execute()
}
