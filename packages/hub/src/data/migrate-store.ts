/** Brings a database to this program's version, or says what that would do. */

import { pendingScript, versionIn } from '@latchkey/service/database'
import type {
  MigrationOptions,
  MigrationResult,
  PostgresSettings,
} from '@latchkey/service/postgres'
import { hubSchema as schema } from '../stores/postgres/schema-name.ts'
import { migrations as ofSqlite } from '../stores/sqlite/migrations/migrations.ts'
import { type DataPlace, openStore, refuseMissing, sqliteFile } from './open-store.ts'

const ifMissing = '"latchkey serve" makes one of this version.'

/** The schema, or the file. */
export function storeName({ data, database }: DataPlace): string {
  return typeof database === 'string' ? sqliteFile(data, database) : schema
}

export async function migrateStore(place: DataPlace): Promise<MigrationResult> {
  const { data, database } = place
  if (typeof database !== 'string') {
    const { migratePostgres } = await import('@latchkey/service/postgres')
    return migratePostgres(await schemaIn(database))
  }
  const file = sqliteFile(data, database)
  refuseMissing(file, ifMissing)
  const from = versionIn(file)
  // Opening is what brings a file to its version, also in a hub.
  const store = await openStore(place, { create: false })
  await store.close()
  return { from, to: ofSqlite.length }
}

/** The SQL that `migrateStore` would run; empty where there is nothing to do. Changes nothing. */
export async function pendingMigrations({ data, database }: DataPlace): Promise<string> {
  if (typeof database !== 'string') {
    const { pendingSql } = await import('@latchkey/service/postgres')
    return pendingSql(await schemaIn(database))
  }
  const file = sqliteFile(data, database)
  refuseMissing(file, ifMissing)
  return pendingScript(file, ofSqlite)
}

/** It is loaded here, like the driver above, because a hub on a file needs neither. */
async function schemaIn(settings: PostgresSettings): Promise<MigrationOptions> {
  const { migrations } = await import('../stores/postgres/migrations/migrations.ts')
  return { settings, schema, migrations }
}
