/** Repositories and refs that the hub has removed: tombstones, and the rows behind them. */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { PlaceUid } from '@latchkey/gate/hub-link'
import type { UnixSeconds } from '@latchkey/protocol'
import { type RawBuilder, sql } from 'kysely'
import { inBatches } from './batches.ts'
import type { Place } from './catalog.ts'
import type { CatalogDatabase } from './catalog-database.ts'
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
}

/** So many rows take a few hundredths of a second, and other writers come between. */
const rowsAtOnce = 500

/** A transaction of its own for each would cost a sync of the disk. */
const placesAtOnce = 10

/** Of those that have no rows, as most have none. */
const emptyPlacesAtOnce = 250

/** Deletes the rows of removed places, a few in each transaction; `isStopped` ends it between two. */
export async function sweepPlaces(
  database: CatalogDatabase,
  isStopped: () => boolean = () => false,
): Promise<void> {
  while (!isStopped()) {
    if ((await database.read(firstUnswept)) === undefined) return
    await database.change(sweepSome)
    // SQLite answers synchronously: without a pause, requests would wait for thousands of removed places.
    await yieldToEventLoop()
  }
}

async function sweepSome(tables: StorageTables): Promise<void> {
  await markEmpty(tables)
  let room = rowsAtOnce
  for (let places = 0; places < placesAtOnce && room > 0; places += 1) {
    // A tombstone may have been lifted meanwhile.
    const uid = await firstUnswept(tables)
    if (uid === undefined) return
    room = await sweepPlace(tables, uid, room)
  }
}

async function firstUnswept(tables: StorageTables): Promise<string | undefined> {
  const found = await tables
    .selectFrom('removed_places')
    .select('uid')
    // Not a parameter: SQLite uses the index of the unswept ones only where it reads the number.
    .where('is_swept', '=', sql.lit(0))
    .orderBy('removed_at')
    .limit(1)
    .executeTakeFirst()
  return found?.uid
}

async function markEmpty(tables: StorageTables): Promise<void> {
  const has = (table: string, column: string) =>
    sql`EXISTS (SELECT 1 FROM ${sql.table(table)} AS r WHERE ${sql.ref(`r.${column}`)} = next.uid)`
  await sql`
    UPDATE removed_places SET is_swept = 1 WHERE uid IN (
      SELECT uid FROM (
        SELECT uid FROM removed_places WHERE is_swept = 0
        ORDER BY removed_at LIMIT ${emptyPlacesAtOnce}) AS next
      WHERE NOT (${has('stored_files', 'ref_uid')} OR ${has('stored_files', 'repository_uid')}
        OR ${has('stored_chunks', 'ref_uid')} OR ${has('stored_chunks', 'repository_uid')}
        OR ${has('stored_xorbs', 'ref_uid')} OR ${has('stored_xorbs', 'repository_uid')}
        OR ${has('stored_totals', 'repository_uid')}))`.execute(tables)
}

/** Files before the xorbs that they are made of, so that what is there lacks nothing at any time. Gives how many more rows may go. */
async function sweepPlace(tables: StorageTables, uid: string, most: number): Promise<number> {
  let room = most
  for (const table of ['stored_files', 'stored_chunks', 'stored_xorbs'] as const) {
    for (const column of ['ref_uid', 'repository_uid'] as const) {
      if (room === 0) return room
      room -= await deleteSome(tables, sql`${sql.table(table)}`, { column, uid, most: room })
    }
  }
  if (room === 0) return room
  await sql`DELETE FROM stored_totals WHERE repository_uid = ${uid}`.execute(tables)
  await sql`UPDATE removed_places SET is_swept = 1 WHERE uid = ${uid}`.execute(tables)
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
