/** How far the storage has followed the hub's journal: two numbers that only rise. */

import {
  type JournalNumber,
  journalNumber,
  type RepositoryUid,
  type UnixSeconds,
} from '@latchkey/protocol'
import { sql } from 'kysely'
import { forgetQuotas } from './quota-states.ts'
import type { StorageTables } from './schema.ts'

export interface LinkState {
  /** Every removal up to this number is applied; undefined until the hub has answered once. */
  readonly applied: JournalNumber | undefined
  /** The highest number that the storage has heard of: the stamp of what is written now. */
  readonly knownNumber: JournalNumber
  /** When the hub last did not know the number to go on from; undefined when nothing can have been missed. */
  readonly lostAt: UnixSeconds | undefined
  /** Repositories whose content moves to another storage, with the number of the move: nothing is written to them. */
  readonly moving: Readonly<Record<string, number>>
  /** The uid up to which the quotas of the hub are read; undefined when all are. */
  readonly quotasAfter: string | undefined
}

export async function readLinkState(tables: StorageTables): Promise<LinkState> {
  const row = await tables.selectFrom('hub_link').selectAll().executeTakeFirstOrThrow()
  return {
    applied: row.applied === null ? undefined : journalNumber(row.applied),
    knownNumber: journalNumber(row.known),
    lostAt: row.lost_at === null ? undefined : (row.lost_at as UnixSeconds),
    moving: row.moving === '{}' ? none : JSON.parse(row.moving),
    quotasAfter: row.quotas_after ?? undefined,
  }
}

const none: LinkState['moving'] = {}

/** In a transaction that holds the link alone: writes before it are committed, and later ones find it. */
export async function setMoving(
  tables: StorageTables,
  uid: RepositoryUid,
  moveNumber: number | undefined,
): Promise<void> {
  const { moving } = await readLinkState(tables)
  const { [uid]: _, ...others } = moving
  const next = moveNumber === undefined ? others : { ...others, [uid]: moveNumber }
  await tables
    .updateTable('hub_link')
    .set({ moving: JSON.stringify(next) })
    .execute()
}

export async function raiseApplied(tables: StorageTables, number: JournalNumber): Promise<void> {
  await tables
    .updateTable('hub_link')
    .set({ applied: higherOf('applied', number), known: higherOf('known', number) })
    .execute()
}

export async function raiseKnown(tables: StorageTables, number: JournalNumber): Promise<void> {
  await tables
    .updateTable('hub_link')
    .set({ known: higherOf('known', number) })
    .execute()
}

/** The storage asks as if for the first time: what the hub has removed lately is told again. */
export async function beginAnew(
  tables: StorageTables,
  number: JournalNumber,
  lostAt: UnixSeconds,
): Promise<void> {
  await tables
    .updateTable('hub_link')
    .set({ applied: null, known: higherOf('known', number), lost_at: lostAt })
    .execute()
  await forgetQuotas(tables)
}

/** Undefined once all are read. */
export async function setQuotasAfter(
  tables: StorageTables,
  after: string | undefined,
): Promise<void> {
  await tables
    .updateTable('hub_link')
    .set({ quotas_after: after ?? null })
    .execute()
}

/** After the catalog was compared with the directory of the hub. */
export async function clearLoss(tables: StorageTables): Promise<void> {
  await tables.updateTable('hub_link').set({ lost_at: null }).execute()
}

function higherOf(column: 'applied' | 'known', number: JournalNumber) {
  return sql<number>`CASE WHEN ${sql.ref(column)} > ${number} THEN ${sql.ref(column)} ELSE ${number} END`
}
