/** The storage's tables in PostgreSQL: uploads to different repositories run side by side. */

import type { RepositoryUid } from '@latchkey/protocol'
import { keyedTurns } from '@latchkey/service/limits/turns'
import {
  openPostgres,
  type PostgresOptions,
  type PostgresSettings,
  placeOf,
} from '@latchkey/service/postgres'
import { type CatalogDatabase, type ReadingDatabase, unlessFull } from '../catalog-database.ts'
import type { StorageSchema } from '../schema.ts'
import { migrating } from './migrate-catalog.ts'
import { storageSchema as schema } from './schema-name.ts'

export interface OpenPostgresCatalogOptions {
  /** Make the schema where there is none. */
  readonly create: boolean
  /** Longer for commands that read much at once. A process that stands still keeps its locks for as long. */
  readonly statementTimeoutMs?: number
}

/** As many uploads as a disk takes at once; the other connections are for reads. */
const changesAtOnce = 8
const connections = 12

/** Connections of a thread, which only reads. */
const connectionsOfThread = 2

const usualStatementMs = 10_000

export async function openPostgresCatalog(
  settings: PostgresSettings,
  { create, statementTimeoutMs = usualStatementMs }: OpenPostgresCatalogOptions,
): Promise<CatalogDatabase> {
  const database = await openPostgres<StorageSchema>({
    ...timeouts(settings, statementTimeoutMs),
    connections,
    changesAtOnce,
    keptForChanges: 1,
    migrated: { ...migrating, missing: create ? undefined : noSchemaIn(settings) },
  })
  return {
    read: (work) => unlessFull(() => database.read(work)),
    change: (work) => unlessFull(() => database.change(work)),
    isAlone: false,
    inTurn: keyedTurns<RepositoryUid>().alone,
    close: database.close,
  }
}

/** For a thread; the schema must be there. */
export async function openPostgresForReading(settings: PostgresSettings): Promise<ReadingDatabase> {
  return await openPostgres<StorageSchema>({
    ...timeouts(settings, usualStatementMs),
    connections: connectionsOfThread,
  })
}

function noSchemaIn(settings: PostgresSettings): string {
  return `PostgreSQL (${placeOf(settings)}) has no schema ${schema}: no storage has run on it. Check the address, start the storage once, or run "latchkey migrate --only storage".`
}

function timeouts(settings: PostgresSettings, statementTimeoutMs: number): PostgresOptions {
  return {
    ...{ settings, schema, statementTimeoutMs },
    lockTimeoutMs: statementTimeoutMs - 500,
    deadlineMs: statementTimeoutMs + 5000,
  }
}
