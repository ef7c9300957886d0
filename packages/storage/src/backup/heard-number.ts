/** The highest number of the hub's journal that a catalogue has heard of. */

import { existsSync } from 'node:fs'
import type { Secret } from '@latchkey/protocol'
import { openForReading } from '@latchkey/service/database'
import { catalogFile } from '../catalog/catalog-database.ts'
import { inspectCatalogIn } from '../catalog-place/inspect-catalog.ts'
import type { CatalogSettings } from '../catalog-place/open-catalog.ts'

/** A hub that is restored gives no number a second time. */
export async function heardNumber({ data, database }: CatalogSettings): Promise<number> {
  return database === undefined ? inFile(catalogFile(data)) : inPostgres(database)
}

/** A database that is away ends the restore: it may have heard of more than anything else. */
async function inPostgres(database: Secret<'database-url'>): Promise<number> {
  const { found, newestVersion, linkState, close } = await inspectCatalogIn(database)
  try {
    return (await found()).version === newestVersion ? (await linkState()).knownNumber : 0
  } finally {
    await close()
  }
}

function inFile(catalogue: string): number {
  if (!existsSync(catalogue)) return 0
  const database = openForReading(catalogue)
  try {
    return Number(database.prepare('SELECT known FROM hub_link').get()?.['known'] ?? 0)
  } catch {
    // A catalogue that no storage of this version has opened yet has heard of nothing.
    return 0
  } finally {
    database.close()
  }
}
