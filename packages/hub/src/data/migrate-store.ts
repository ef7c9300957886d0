import { resolve } from 'node:path'
import {
  CopyError,
  type CopySource,
  type CopyTarget,
  copyBetween,
  type OnCopyProgress,
} from '@latchkey/service/copy'
import { pendingScript, versionIn } from '@latchkey/service/database'
import type {
  MigrationOptions,
  MigrationResult,
  PostgresSettings,
} from '@latchkey/service/postgres'
import type { InspectedPostgres } from '../stores/postgres/inspect-store.ts'
import { hubSchema as schema } from '../stores/postgres/server-name.ts'
import { migrations as ofSqlite } from '../stores/sqlite/migrations/migrations.ts'
import { openSqliteSource, openSqliteTarget } from '../stores/sqlite/open-store.ts'
import { copiedDirectory } from '../tables/table-columns.ts'
import { prepareDataDirectory } from './data-directory.ts'
import {
  type DatabasePlace,
  type DataPlace,
  openStore,
  refuseMissing,
  sqliteFile,
} from './open-store.ts'

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

export async function inspectPostgres(settings: PostgresSettings): Promise<InspectedPostgres> {
  const { inspectPostgresStore } = await import('../stores/postgres/inspect-store.ts')
  return inspectPostgresStore(settings)
}

interface StoreCopy {
  /** Files with relative names lie in it. */
  readonly data: string
  readonly from: DatabasePlace
  readonly to: DatabasePlace
  readonly onProgress?: OnCopyProgress
}

export interface CopiedStore {
  /** The last number of the journal that the copy has. */
  readonly number: number
  readonly rows: number
  /** In words for people. */
  readonly from: string
  readonly to: string
}

export async function copyStore({ data, from, to, onProgress }: StoreCopy): Promise<CopiedStore> {
  refuseSameFile(data, from, to)
  const sides = { openSource: () => openSource(data, from), openTarget: () => openTarget(data, to) }
  const { head, ...copied } = await copyBetween(copiedDirectory, sides, onProgress)
  return { ...copied, number: Number(head['number']) }
}

async function openSource(data: string, from: DatabasePlace): Promise<CopySource> {
  if (typeof from !== 'string') return (await postgresSide()).openPostgresSource(from)
  const file = sqliteFile(data, from)
  refuseMissing(file, 'Name the file of a hub, or its directory with --data.')
  return openSqliteSource(file)
}

async function openTarget(data: string, to: DatabasePlace): Promise<CopyTarget> {
  if (typeof to !== 'string') return (await postgresSide()).openPostgresTarget(to)
  prepareDataDirectory(data, { create: true })
  return openSqliteTarget(sqliteFile(data, to))
}

/** The driver is loaded where a PostgreSQL is named, and nowhere else. */
function postgresSide() {
  return import('../stores/postgres/copy-side.ts')
}

function refuseSameFile(data: string, from: DatabasePlace, to: DatabasePlace): void {
  if (typeof from !== 'string' || typeof to !== 'string') return
  const [one, other] = [from, to].map((place) => resolve(sqliteFile(data, place)))
  if (one === other) throw new CopyError(`${one} is the source and the target of this copy`)
}
