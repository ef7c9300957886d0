/** Rows of objects that nothing leads to: cut-off uploads, bytes that no xorb has any more, and those that are unmapped already. */

import type { UnixSeconds } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { StorageTables } from '../catalog/schema.ts'
import type { Digest, ObjectKey } from '../objects/object-store.ts'
import type { Amount } from './amount.ts'

/** An object whose digest no xorb has. */
export interface UnusedObject {
  readonly digest: Digest
  readonly bytes: number
  readonly reservedAt: UnixSeconds
}

export interface UnusedPage {
  readonly unused: readonly UnusedObject[]
  /** Where the next page begins; undefined at the end. */
  readonly last: Digest | undefined
}

const maxWalked = 5000

/** Among the next objects in the order of their digests: a walk over all of them takes many short statements. */
export async function unusedObjects(tables: StorageTables, after: string): Promise<UnusedPage> {
  const { rows: ends } = await sql<{ digest: Digest }>`
    SELECT digest FROM stored_objects WHERE digest > ${after}
      ORDER BY digest LIMIT 1 OFFSET ${maxWalked - 1}`.execute(tables)
  const last = ends[0]?.digest
  const { rows } = await sql<UnusedObject>`
    SELECT digest, bytes, reserved_at AS "reservedAt" FROM stored_objects AS o
      WHERE digest > ${after} ${last === undefined ? sql`` : sql`AND digest <= ${last}`}
      AND NOT EXISTS (SELECT 1 FROM stored_xorbs AS x WHERE x.digest = o.digest)`.execute(tables)
  return { unused: rows, last }
}

const maxAtOnce = 1000

/** Some of the uploads that began before this moment and were cut off: none of them can get a name any more. */
export async function unmapReserved(
  tables: StorageTables,
  before: UnixSeconds,
  now: UnixSeconds,
): Promise<number> {
  // The conditions are there twice: an upload may get its name while this waits for its row.
  const { numAffectedRows = 0n } = await sql`
    UPDATE stored_objects SET unmapped_at = ${now}
      WHERE digest IS NULL AND unmapped_at IS NULL AND key IN (
        SELECT key FROM stored_objects
        WHERE digest IS NULL AND unmapped_at IS NULL AND reserved_at < ${before}
        LIMIT ${maxAtOnce})`.execute(tables)
  return Number(numAffectedRows)
}

export interface ReservedAmounts {
  /** The amounts of uploads that began before a moment, and all others. */
  readonly old: Amount
  readonly young: Amount
}

export async function reservedAmounts(
  tables: StorageTables,
  before: UnixSeconds,
): Promise<ReservedAmounts> {
  const { rows } = await sql<Amount & { isOld: number | boolean }>`
    SELECT reserved_at < ${before} AS "isOld", count(*) AS count, sum(bytes) AS bytes
      FROM stored_objects WHERE digest IS NULL AND unmapped_at IS NULL GROUP BY 1`.execute(tables)
  const amountOf = (isOld: boolean) => {
    const row = rows.find((row) => Boolean(row.isOld) === isOld)
    return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) }
  }
  return { old: amountOf(true), young: amountOf(false) }
}

/** Sums up objects that were unmapped at this moment or earlier, and whose bytes are not deleted yet. */
export async function unmappedAmount(tables: StorageTables, until: UnixSeconds): Promise<Amount> {
  const { rows } = await sql<Amount>`
    SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM stored_objects
      WHERE unmapped_at <= ${until}`.execute(tables)
  return { count: Number(rows[0]?.count ?? 0), bytes: Number(rows[0]?.bytes ?? 0) }
}

/** Sums up all objects that are or may be in the store. */
export async function amountOnRecord(tables: StorageTables): Promise<Amount> {
  const { rows } = await sql<Amount>`
    SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM stored_objects`.execute(tables)
  return { count: Number(rows[0]?.count ?? 0), bytes: Number(rows[0]?.bytes ?? 0) }
}

/** Some of them. */
export async function unmappedObjects(
  tables: StorageTables,
  until: UnixSeconds,
): Promise<readonly ObjectKey[]> {
  const rows = await tables
    .selectFrom('stored_objects')
    .select('key')
    .where('unmapped_at', '<=', until)
    .limit(maxAtOnce)
    .execute()
  return rows.map(({ key }) => key as ObjectKey)
}
