/** The row by which a catalogue knows its object store; it changes only as a whole. */

import { sql } from 'kysely'
import { isPostgres } from '../catalog/dialect.ts'
import { storageSchema } from '../catalog/postgres/schema-name.ts'
import type { StorageTables } from '../catalog/schema.ts'

export interface CatalogueSide {
  /** The id of the catalogue: its copies have it too. */
  readonly catalogue: string
  /** Another one after each `storage adopt`. A backup has none. */
  readonly incarnation?: string | undefined
  /** The marker has this one or the next. Only this catalogue and copies of its present state know both. */
  readonly mark: string
  readonly nextMark: string
  /** Where the catalogue was when it was used last; a file has no home, because it may be moved. */
  readonly home?: string | undefined
}

/** The row as it is, so that a change can be refused where it is another one by then. */
export interface IdentityRow {
  readonly text: string
  readonly side: CatalogueSide
}

export const identityName = 'store'

export async function readIdentity(tables: StorageTables): Promise<IdentityRow | undefined> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', identityName)
    .executeTakeFirst()
  return row && { text: row.value, side: JSON.parse(row.value) }
}

/** Leaves a row that is there. */
export async function addIdentity(tables: StorageTables, side: CatalogueSide): Promise<void> {
  await tables
    .insertInto('settings')
    .values({ name: identityName, value: JSON.stringify(side) })
    .onConflict((row) => row.column('name').doNothing())
    .execute()
}

/** Leaves a row that another process has changed. */
export async function replaceIdentity(
  tables: StorageTables,
  { text }: IdentityRow,
  side: CatalogueSide,
): Promise<void> {
  await tables
    .updateTable('settings')
    .set({ value: JSON.stringify(side) })
    .where('name', '=', identityName)
    .where('value', '=', text)
    .execute()
}

/** Replaces any row. */
export async function putIdentity(tables: StorageTables, side: CatalogueSide): Promise<void> {
  const value = JSON.stringify(side)
  await tables
    .insertInto('settings')
    .values({ name: identityName, value })
    .onConflict((row) => row.column('name').doUpdateSet({ value }))
    .execute()
}

export async function namesObjects(tables: StorageTables): Promise<boolean> {
  const row = await tables.selectFrom('stored_objects').select('key').limit(1).executeTakeFirst()
  return row !== undefined
}

/** SQLSTATE: the role may not call a function. */
const forbidden = '42501'

/**
 * A dump that was restored has other tables, and a server that was set up anew has another system identifier; a replica that
 * was promoted has the same ones. Undefined for a file, and where the role may not ask.
 */
export async function homeOf(tables: StorageTables): Promise<string | undefined> {
  if (!isPostgres(tables)) return undefined
  try {
    const { rows } = await sql<{ home: string }>`
      SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        ${`${storageSchema}.stored_objects`}::regclass::oid) AS home`.execute(tables)
    return rows[0]?.home
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === forbidden) return undefined
    throw error
  }
}

/** For a command that looks and changes nothing. */
export interface CatalogueFacts {
  readonly catalogue: CatalogueSide | undefined
  readonly home: string | undefined
  readonly namesObjects: boolean
}

export async function readFacts(tables: StorageTables): Promise<CatalogueFacts> {
  const row = await readIdentity(tables)
  const isNaming = await namesObjects(tables)
  return { catalogue: row?.side, home: await homeOf(tables), namesObjects: isNaming }
}
