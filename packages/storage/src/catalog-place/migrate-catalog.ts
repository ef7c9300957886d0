/** Brings the catalogue to this program's version, or says what that would do. */

import { pendingScript, versionIn } from '@latchkey/service/database'
import type { MigrationResult } from '@latchkey/service/postgres'
import { catalogFile, openCatalog } from '../catalog/catalog-database.ts'
import { migrations } from '../catalog/migrations/migrations.ts'
import { storageSchema } from '../catalog/postgres/schema-name.ts'
import { type CatalogSettings, settingsOf } from './open-catalog.ts'

/** The schema, or the file. */
export function catalogName({ data, database }: CatalogSettings): string {
  return database === undefined ? catalogFile(data) : storageSchema
}

/** A file must be there; the tables of a PostgreSQL are made where there are none. */
export async function migrateCatalog({
  data,
  database,
}: CatalogSettings): Promise<MigrationResult> {
  if (database !== undefined) {
    const { migratePostgresCatalog } = await import('../catalog/postgres/migrate-catalog.ts')
    return migratePostgresCatalog(await settingsOf(database))
  }
  const from = versionIn(catalogFile(data))
  // Opening is what brings a file to its version, also in a storage.
  await openCatalog(data).close()
  return { from, to: migrations.length }
}

/** The SQL that `migrateCatalog` would run; empty where there is nothing to do. Changes nothing. */
export async function pendingCatalogMigrations({
  data,
  database,
}: CatalogSettings): Promise<string> {
  if (database === undefined) return pendingScript(catalogFile(data), migrations)
  const { pendingPostgresCatalog } = await import('../catalog/postgres/migrate-catalog.ts')
  return pendingPostgresCatalog(await settingsOf(database))
}
