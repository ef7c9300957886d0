/** Brings a database to this program's version, or says what that would do. */

import { CannotStart } from '@latchkey/service/cannot-start'
import { explained, lookAt, versionOf } from '@latchkey/service/database'
import { type MigrationResult, migratePostgres, pendingSql } from '@latchkey/service/postgres'
import { migrations as ofPostgres } from '../stores/postgres/migrations/migrations.ts'
import { hubSchema as schema } from '../stores/postgres/schema-name.ts'
import { migrations as ofSqlite } from '../stores/sqlite/migrations/migrations.ts'
import { type DataPlace, openStore, refuseMissing, sqliteFile } from './open-store.ts'

const ifMissing = '"latchkey serve" makes one of this version.'

export async function migrateStore(place: DataPlace): Promise<MigrationResult> {
  const { data, database } = place
  if (typeof database !== 'string') {
    return migratePostgres({ settings: database, schema, migrations: ofPostgres })
  }
  const from = versionIn(sqliteFile(data, database))
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
  const version = versionIn(file)
  if (version > ofSqlite.length) {
    throw new CannotStart(
      `the database ${file} has version ${version}, this program knows up to ${ofSqlite.length}: it was written by a newer Latchkey. Run that one.`,
    )
  }
  const texts = ofSqlite.slice(version).map((text) => text.trim())
  if (texts.length === 0) return ''
  const last = `PRAGMA user_version = ${ofSqlite.length};`
  return `${['BEGIN IMMEDIATE;', ...texts, last, 'COMMIT;'].join('\n\n')}\n`
}

function versionIn(file: string): number {
  refuseMissing(file, ifMissing)
  return explained(file, () => lookAt(file, versionOf))
}
