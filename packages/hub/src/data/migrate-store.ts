/** Brings a database to this program's version, or says what that would do. */

import { pendingScript, versionIn } from '@latchkey/service/database'
import { type MigrationResult, migratePostgres, pendingSql } from '@latchkey/service/postgres'
import { migrations as ofPostgres } from '../stores/postgres/migrations/migrations.ts'
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
    return migratePostgres({ settings: database, schema, migrations: ofPostgres })
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
    return pendingSql({ settings: database, schema, migrations: ofPostgres })
  }
  const file = sqliteFile(data, database)
  refuseMissing(file, ifMissing)
  return pendingScript(file, ofSqlite)
}
