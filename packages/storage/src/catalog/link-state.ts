/** How far the storage has followed the hub's journal: two numbers that only rise. */

import { type JournalNumber, journalNumber, type UnixSeconds } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { StorageTables } from './schema.ts'

export interface LinkState {
  /** Every removal up to this number is applied; undefined until the hub has answered once. */
  readonly applied: JournalNumber | undefined
  /** The highest number that the storage has heard of: the stamp of what is written now. */
  readonly known: JournalNumber
  /** When the hub last did not know the number to go on from; undefined when nothing can have been missed. */
  readonly lostAt: UnixSeconds | undefined
}

export async function readLinkState(tables: StorageTables): Promise<LinkState> {
  const { applied, known, lost_at } = await tables
    .selectFrom('hub_link')
    .selectAll()
    .executeTakeFirstOrThrow()
  return {
    applied: applied === null ? undefined : journalNumber(applied),
    known: journalNumber(known),
    lostAt: lost_at === null ? undefined : (lost_at as UnixSeconds),
  }
}

export async function raiseApplied(tables: StorageTables, number: JournalNumber): Promise<void> {
  await sql`
    UPDATE hub_link SET
      applied = max(coalesce(applied, 0), ${number}),
      known = max(known, ${number})`.execute(tables)
}

export async function raiseKnown(tables: StorageTables, number: JournalNumber): Promise<void> {
  await sql`UPDATE hub_link SET known = max(known, ${number})`.execute(tables)
}

/** The storage asks as if for the first time: what the hub has removed lately is told again. */
export async function beginAnew(
  tables: StorageTables,
  number: JournalNumber,
  lostAt: UnixSeconds,
): Promise<void> {
  await sql`
    UPDATE hub_link SET applied = NULL, known = max(known, ${number}), lost_at = ${lostAt}`.execute(
    tables,
  )
}

/** After the catalog was compared with the directory of the hub. */
export async function clearLoss(tables: StorageTables): Promise<void> {
  await sql`UPDATE hub_link SET lost_at = NULL`.execute(tables)
}
