/** Kysely on top of one connection, in whose transaction every query runs. */

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { PoolClient } from 'pg'
import { CannotStart } from '../machine/errors.ts'
import { ask, type QueryAnswer } from './ask.ts'
import type { Connections } from './connections.ts'
import { explainPostgres } from './explain-postgres.ts'
import { type Ask, inspectRights, type NeededRights, rightsProblem } from './inspect-rights.ts'
import { type MigrationOptions, migrateOn } from './migrate-postgres.ts'
import { type PostgresSettings, placeOf } from './settings.ts'

type Execute = (text: string, values: readonly unknown[]) => Promise<QueryAnswer>

/** The size for a stream whose reader does not set one. */
const rowsAtOnce = 100

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export function tablesOn<Schema>(execute: Execute): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: dialect(connection(execute)) })
}

function dialect(single: DatabaseConnection): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver(single),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function driver(single: DatabaseConnection): Driver {
  return {
    init: async () => {},
    acquireConnection: async () => single,
    beginTransaction: inside,
    commitTransaction: inside,
    rollbackTransaction: inside,
    releaseConnection: async () => {},
    destroy: async () => {},
  }
}

async function inside(): Promise<never> {
  throw new Error('this is inside a transaction already')
}

function connection(execute: Execute): DatabaseConnection {
  let cursors = 0
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { command, rowCount, rows } = await execute(sql, parameters)
      return {
        // The row's type is what the query was built for.
        rows: rows as Row[],
        ...(changing.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
      }
    },
    // A cursor, so that many rows need not be in memory at once. It ends with the transaction.
    async *streamQuery<Row>({ sql, parameters }: CompiledQuery, chunkSize = rowsAtOnce) {
      cursors += 1
      const cursor = `latchkey_${cursors}`
      await execute(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, parameters)
      for (;;) {
        const { rows } = await execute(`FETCH ${chunkSize} FROM ${cursor}`, [])
        if (rows.length > 0) yield { rows: rows as Row[] }
        if (rows.length < chunkSize) break
      }
      await execute(`CLOSE ${cursor}`, [])
    },
  }
}

export type SchemaToMigrate = Omit<MigrationOptions, 'settings'> & Pick<NeededRights, 'functions'>

interface Preparation {
  readonly settings: PostgresSettings
  readonly migrated?: SchemaToMigrate
}

/** Closes the connections and throws `CannotStart` where the server cannot be used. */
export async function prepareServer(
  pool: Connections,
  { settings, migrated }: Preparation,
): Promise<void> {
  try {
    const client = await pool.take()
    let isUsable = false
    try {
      if (migrated) await migrate(client, settings, migrated)
      isUsable = true
    } finally {
      client.release(!isUsable)
    }
  } catch (error) {
    await pool.close()
    throw error instanceof CannotStart ? error : new CannotStart(explainPostgres(error, settings))
  }
}

async function migrate(
  client: PoolClient,
  settings: PostgresSettings,
  migrated: SchemaToMigrate,
): Promise<void> {
  await refuseLackingRights(client, settings, migrated)
  const { from, to } = await migrateOn(client, { settings, ...migrated })
  if (from !== to) await refuseLackingRights(client, settings, migrated)
}

/** In the words of `latchkey doctor`. */
async function refuseLackingRights(
  client: PoolClient,
  settings: PostgresSettings,
  { missing, ...needed }: SchemaToMigrate,
): Promise<void> {
  const query: Ask = async <Row>({ text }: { readonly text: string }) =>
    (await ask(client, text, settings.connectTimeoutMs)).rows as Row[]
  const rights = await inspectRights(query, needed)
  const problem = rightsProblem(rights, needed)
  // Where the schema is not to be made, `missing` says what to do without it.
  if (problem === undefined || (missing !== undefined && rights.lacksTables)) return
  const { found, todo } = problem
  throw new CannotStart(`PostgreSQL (${placeOf(settings)}): the role ${found}. ${todo}`)
}
