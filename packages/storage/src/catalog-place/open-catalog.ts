/** Opens the catalogue where the operator has it: in a file of the data directory, or in PostgreSQL. */

import type { Secret } from '@latchkey/protocol'
import { CannotStart, DatabaseUnavailable } from '@latchkey/service/machine/errors'
import type { PostgresSettings } from '@latchkey/service/postgres'
import {
  type CatalogDatabase,
  openCatalog,
  openCatalogForReading,
  type ReadingDatabase,
} from '../catalog/catalog-database.ts'

export interface CatalogSettings {
  /** The data directory of the storage. */
  readonly data: string
  /** Complete, whatever the environment says. Left out: a file in the data directory. */
  readonly database?: Secret<'database-url'> | undefined
}

/** A writer that waits blocks every request of this process, so it waits briefly and tries again. */
const busyTimeoutMs = 50

/** For a storage that serves; made where it is missing. */
export async function openOwnCatalog({
  data,
  database,
}: CatalogSettings): Promise<CatalogDatabase> {
  if (database === undefined) return openCatalog(data, { busyTimeoutMs })
  const { openPostgresCatalog } = await import('../catalog/postgres/open-catalog.ts')
  return openPostgresCatalog(await settingsOf(database), { create: true })
}

/** A command may read all of a repository in one statement. */
const maintenanceStatementMs = 120_000

/** For a command; it must be there. */
export async function openCatalogOf({ data, database }: CatalogSettings): Promise<CatalogDatabase> {
  if (database === undefined) return openCatalog(data)
  const { openPostgresCatalog } = await import('../catalog/postgres/open-catalog.ts')
  const options = { create: false, statementTimeoutMs: maintenanceStatementMs }
  return openPostgresCatalog(await settingsOf(database), options)
}

/** The same as data that can be copied to a thread. */
export interface CatalogPlace {
  readonly data: string
  readonly databaseUrl?: string
}

export function placeOf({ data, database }: CatalogSettings): CatalogPlace {
  return { data, ...(database !== undefined && { databaseUrl: database.reveal() }) }
}

/** For a thread that only looks things up; it must be there. */
export function openReader({ data, databaseUrl }: CatalogPlace): ReadingDatabase {
  return databaseUrl === undefined ? openCatalogForReading(data) : postgresReader(databaseUrl)
}

/** Opened by the first task, and by the next one where that failed: a thread outlives a database that is away. */
function postgresReader(url: string): ReadingDatabase {
  let opening: Promise<ReadingDatabase> | undefined
  const open = async () => {
    const { openPostgresForReading } = await import('../catalog/postgres/open-catalog.ts')
    return openPostgresForReading(await settingsIn(url))
  }
  const opened = () => {
    opening ??= open().catch((error) => {
      opening = undefined
      throw error instanceof CannotStart ? new DatabaseUnavailable(error.message) : error
    })
    return opening
  }
  return {
    read: async (work) => (await opened()).read(work),
    close: async () => (await opening)?.close(),
  }
}

export function settingsOf(database: Secret<'database-url'>): Promise<PostgresSettings> {
  return settingsIn(database.reveal())
}

/** Loads no part of the driver if the catalogue is a file. */
async function settingsIn(url: string): Promise<PostgresSettings> {
  const { readPostgresSettings } = await import('@latchkey/service/postgres')
  return readPostgresSettings(url, { environment: {} })
}
