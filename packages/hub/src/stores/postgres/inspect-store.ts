/** The store in PostgreSQL for somebody who looks after it, and changes nothing. */

import { CannotStart } from '@latchkey/service/cannot-start'
import {
  DatabaseAway,
  DatabaseBusy,
  explainPostgres,
  type InspectedRights,
  type InspectedServer,
  inspectRights,
  inspectServer,
  openPostgres,
  type PostgresDatabase,
  type PostgresSettings,
  tryNotification,
} from '@latchkey/service/postgres'
import type { Reading } from '../../directory/port/directory.ts'
import type { Schema } from '../../directory/port/schema.ts'
import { setting } from './known-server.ts'
import { timeColumns } from './migrations/0001-directory.ts'
import { migrations } from './migrations/migrations.ts'
import { hubSchema as schema } from './schema-name.ts'

export interface InspectedPostgres {
  readonly schema: string
  /** The version that this program brings a schema to. */
  readonly newestVersion: number
  isPooled(): boolean
  server(): Promise<InspectedServer>
  rights(): Promise<InspectedRights>
  found(): Promise<FoundSchema>
  /** Undefined where a notification is heard; otherwise why not. */
  tryNotification(): Promise<string | undefined>
  /** Where a hub last used the directory: system identifier, timeline, and more; undefined before the first. */
  lastServer(): Promise<readonly string[] | undefined>
  /** Of a schema of the newest version, also on a replica. */
  read<Result>(work: (tables: Reading) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export interface FoundSchema {
  /** Undefined where nothing says which version it has. */
  readonly version: number | undefined
  /** False where the role lacks a right. */
  readonly isReadable: boolean
  readonly tables: readonly string[]
  /** The object identifier of the journal's head: a dump that was put back has another one. */
  readonly headTable: string | undefined
  /** Those that a schema of this program's version has, and this one has not. */
  readonly missingTables: readonly string[]
}

/** Throws `CannotStart` where the server cannot be reached or used. */
export async function inspectPostgresStore(settings: PostgresSettings): Promise<InspectedPostgres> {
  const options = { settings, schema, timeColumns, connections: 2, primaryOnly: false }
  const database = await openPostgres<Schema>(options)
  const told = <Result>(work: () => Promise<Result>) => explained(settings, work)
  return {
    schema,
    newestVersion: migrations.length,
    isPooled: database.isPooled,
    server: () => told(() => inspectServer(database)),
    rights: () => told(() => inspectRights(database, schema)),
    found: () => told(() => findSchema(database)),
    tryNotification: () => told(() => tryNotification(database, settings)),
    lastServer: () => told(() => database.read(lastServer)),
    read: (work) => told(() => database.read(work)),
    close: database.close,
  }
}

async function lastServer(tables: Reading): Promise<readonly string[] | undefined> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', setting)
    .executeTakeFirst()
  return row?.value.split(' ')
}

interface TableRow {
  readonly name: string
  readonly oid: string
  readonly readable: 0 | 1
}

async function findSchema(database: PostgresDatabase<Schema>): Promise<FoundSchema> {
  const rows = await database.query<TableRow>({
    name: 'latchkey_inspect_tables',
    text: `SELECT relname::text AS name, pg_class.oid::text AS oid, has_schema_privilege(relnamespace, 'USAGE')
             AND has_table_privilege(pg_class.oid, 'SELECT') AS readable
           FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
           WHERE nspname = '${schema}' AND relkind IN ('r', 'p') ORDER BY 1`,
  })
  const tables = rows.map(({ name }) => name)
  const canTell = rows.some(({ name, readable }) => name === 'schema_version' && readable === 1)
  return {
    version: canTell ? await versionIn(database) : undefined,
    isReadable: rows.every(({ readable }) => readable === 1),
    tables,
    headTable: rows.find(({ name }) => name === 'journal_head')?.oid,
    missingTables: madeTables().filter((name) => !tables.includes(name)),
  }
}

async function versionIn(database: PostgresDatabase<Schema>): Promise<number | undefined> {
  const text = `SELECT version FROM ${schema}.schema_version`
  const [row] = await database.query<{ version: number }>({
    name: 'latchkey_inspect_version',
    text,
  })
  return row?.version
}

function madeTables(): readonly string[] {
  const script = migrations.join('\n')
  const named = (words: string) =>
    Array.from(script.matchAll(new RegExp(`^${words} (\\w+)`, 'gm')), ([, name = '']) => name)
  const dropped = named('DROP TABLE')
  return named('CREATE TABLE').filter((name) => !dropped.includes(name))
}

async function explained<Result>(
  settings: PostgresSettings,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const isTold = error instanceof DatabaseAway || error instanceof DatabaseBusy
    throw new CannotStart(isTold ? error.message : explainPostgres(error, settings))
  }
}
