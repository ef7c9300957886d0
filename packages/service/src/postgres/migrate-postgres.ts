/** Brings a schema of PostgreSQL to this program's version, once, however many processes try. */

import type { PoolClient } from 'pg'
import { CannotStart } from '../machine/errors.ts'
import { ask, type QueryAnswer } from './ask.ts'
import { connections } from './connections.ts'
import { explainPostgres } from './explain-postgres.ts'
import { CommitLost, ConnectionLost, stateOf } from './postgres-error.ts'
import { type PostgresSettings, placeOf } from './settings.ts'

export interface MigrationOptions extends MigratedSchema {
  readonly settings: PostgresSettings
  /** How long to wait for another process that migrates. */
  readonly turnTimeoutMs?: number
  /** How long a step waits for a table: readers wait behind it. */
  readonly lockTimeoutMs?: number
  /** The advice for the operator if there is no schema and this call must not create it. */
  readonly missing?: string | undefined
  /** The command for the role that owns the tables, if another one may not change them. */
  readonly command?: string
}

export interface MigrationResult {
  readonly from: number
  readonly to: number
}

/** Tables may be large. A server that is gone is noticed by the keepalive of the connection. */
const maxStepMs = 24 * 3600 * 1000

/** One transaction for all steps: what is killed or fails leaves the version that was there. */
export async function migratePostgres(options: MigrationOptions): Promise<MigrationResult> {
  return await withClient(options, (client) => migrateOn(client, options))
}

/** On a connection that the caller closes where this fails: a transaction may be open on it. */
export async function migrateOn(
  client: PoolClient,
  options: MigrationOptions,
): Promise<MigrationResult> {
  const found = await look(client, options)
  if (!found.hasSchema && options.missing !== undefined) throw new CannotStart(options.missing)
  if (found.version === options.migrations.length) return { from: found.version, to: found.version }
  return await orExplain(options, found, () => inOneTransaction(client, options))
}

/**
 * The SQL that `migratePostgres` would run now; empty if the schema is current. Changes nothing.
 */
export async function pendingSql(options: MigrationOptions): Promise<string> {
  return await withClient(options, async (client) => {
    const { schema, migrations } = options
    const found = await look(client, options)
    const script = migrationScript(options, found)
    if (script.length === 0) return ''
    const steps = ['BEGIN', ...script, 'COMMIT'].map((text) => `${text};\n`)
    return `-- ${schema}: from version ${found.version} to ${migrations.length}\n${steps.join('\n')}`
  })
}

async function withClient<Result>(
  { settings }: MigrationOptions,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const pool = connections(settings, { most: 1, deadlineMs: settings.connectTimeoutMs })
  try {
    const client = await pool.take()
    try {
      return await work(client)
    } finally {
      // Whatever its transaction is in the middle of ends with the connection.
      client.release(true)
    }
  } catch (error) {
    throw error instanceof CannotStart ? error : new CannotStart(explainPostgres(error, settings))
  } finally {
    await pool.close()
  }
}

async function inOneTransaction(
  client: PoolClient,
  options: MigrationOptions,
): Promise<MigrationResult> {
  const { schema, migrations, turnTimeoutMs = 600_000, lockTimeoutMs = 5000 } = options
  await step(client, 'BEGIN ISOLATION LEVEL READ COMMITTED')
  await step(client, 'SET LOCAL statement_timeout = 0; SET LOCAL synchronous_commit = on')
  await step(client, `SET LOCAL lock_timeout = ${turnTimeoutMs}`)
  await step(client, `SELECT pg_advisory_xact_lock(hashtextextended('latchkey ${schema}', 0))`)
  await step(client, `SET LOCAL lock_timeout = ${lockTimeoutMs}`)
  // Another process may have migrated while this one waited for the lock.
  const found = await look(client, options)
  for (const text of migrationScript(options, found)) await step(client, text)
  try {
    await step(client, 'COMMIT')
  } catch (error) {
    throw error instanceof ConnectionLost ? new CommitLost(error.reason) : error
  }
  return { from: found.version, to: migrations.length }
}

function step(client: PoolClient, text: string): Promise<QueryAnswer> {
  return ask(client, text, maxStepMs)
}

async function look(client: PoolClient, options: MigrationOptions): Promise<Found> {
  const { schema, migrations, settings } = options
  // Not by to_regclass: it may remember from before the lock that there was no such schema.
  const { rows } = await step(
    client,
    `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') AS schema,
      EXISTS (SELECT FROM pg_tables WHERE schemaname = '${schema}' AND tablename = 'schema_version') AS version`,
  )
  const hasVersion = rows[0]?.['version'] === 1
  const version = hasVersion ? await versionIn(client, schema) : 0
  if (version <= migrations.length) {
    return { hasSchema: rows[0]?.['schema'] === 1, hasVersion, version }
  }
  throw new CannotStart(
    `PostgreSQL (${placeOf(settings)}): the schema ${schema} has version ${version}, this program knows up to ${migrations.length}: it was written by a newer version of Latchkey. Use that version, or restore a backup.`,
  )
}

async function versionIn(client: PoolClient, schema: string): Promise<number> {
  const { rows } = await step(client, `SELECT version FROM ${schema}.schema_version`)
  return Number(rows[0]?.['version'])
}

async function orExplain<Result>(
  { settings, schema, migrations, command = 'latchkey migrate' }: MigrationOptions,
  { version }: Found,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const place = `PostgreSQL (${placeOf(settings)})`
    if (stateOf(error) === '42501') {
      throw new CannotStart(
        `${place}: the schema ${schema} has version ${version} and this program needs ${migrations.length}, but the role ${settings.user} may not change its tables. Run \`${command}\` with the address of the role that owns it.`,
      )
    }
    throw new CannotStart(
      `${explainPostgres(error, settings).replace(/[.]?$/, '.')} The schema ${schema} was not migrated${error instanceof CommitLost ? ', or whole' : ''}. Run it again.`,
    )
  }
}

export interface MigratedSchema {
  readonly schema: string
  /** Migration n brings the schema from version n to n + 1. */
  readonly migrations: readonly string[]
}

/** As the schema is found. */
interface Found {
  readonly hasSchema: boolean
  readonly hasVersion: boolean
  readonly version: number
}

/** Empty where nothing is to be done. All of them run in one transaction. */
function migrationScript({ schema, migrations }: MigratedSchema, found: Found): readonly string[] {
  const name = schemaName(schema)
  if (found.version >= migrations.length) return []
  return [
    ...(found.hasSchema ? [] : [`CREATE SCHEMA ${name}`]),
    `SET LOCAL search_path = ${name}, pg_temp`,
    ...(found.hasVersion ? [] : versionTable),
    ...migrations.slice(found.version).map((text) => text.trim().replace(/;$/, '')),
    `UPDATE schema_version SET version = ${migrations.length}`,
  ]
}

/** The key allows one row. */
const versionTable = [
  'CREATE TABLE schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)',
  'INSERT INTO schema_version (version) VALUES (0)',
]

export function schemaName(name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name)) return name
  throw new TypeError(`no plain name of a schema: ${name}`)
}
