/** Copies the rows of a catalogue into another database. The content stays where it is. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Secret } from '@latchkey/protocol'
import {
  type ColumnsOf,
  type CopiedTables,
  CopyError,
  type CopyResult,
  type CopySource,
  type CopyTarget,
  copyBetween,
  type OnCopyProgress,
} from '@latchkey/service/copy'
import { openFileSource, openFileTarget, type SqliteKind } from '@latchkey/service/copy/sqlite-side'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { PostgresSettings } from '@latchkey/service/postgres'
import { migrations } from '../catalog/migrations/migrations.ts'
import type { StorageSchema } from '../catalog/schema.ts'
import { identityName } from '../identity/identity-row.ts'
import { audienceName } from '../identity/own-audience.ts'
import { settingsOf } from './open-catalog.ts'

const kind: SqliteKind = {
  migrations,
  user: 'a storage that runs',
  isOther: (tables) => tables.has('accounts'),
  ifOther: 'holds the directory of a hub. Leave out --only storage to copy that.',
}

/** A catalogue in a file as one side of a copy. */
function openSqliteSource(file: string): CopySource {
  return openFileSource(file, kind)
}

function openSqliteTarget(file: string): CopyTarget {
  return openFileTarget(file, kind)
}

const owned = { repository_uid: 'value', written_at: 'value', stamp: 'value' } as const

const columns: ColumnsOf<StorageSchema> = {
  stored_xorbs: {
    ...{ ref_uid: 'key', hash: 'key', ...owned },
    digest: 'value',
    packed_bytes: 'value',
    unpacked_bytes: 'value',
    chunks: 'value',
    renewed_at: 'value',
  },
  stored_objects: {
    ...{ key: 'key', digest: 'value', bytes: 'value' },
    ...{ reserved_at: 'value', unmapped_at: 'value' },
  },
  stored_files: {
    ...{ position: 'key', ref_uid: 'value', hash: 'value', ...owned },
    bytes: 'value',
    terms: 'value',
    first_chunk: 'value',
    sha256: 'value',
  },
  stored_chunks: { ref_uid: 'key', hash: 'key', ...owned, xorb_hash: 'value' },
  file_uploads: {
    ...{ ref_uid: 'key', account: 'key', name: 'key', repository_uid: 'value', bytes: 'value' },
    ...{ state: 'value', rest: 'value', terms: 'value', file: 'value', touched_at: 'value' },
  },
  xorb_grants: {
    ...{ key: 'key', repository_uid: 'value', ref_uid: 'value', account: 'value' },
    ...{ hub_token: 'value', jti: 'value', hash: 'value', bytes: 'value' },
    ...{ ends_at: 'value', state: 'value' },
  },
  stored_totals: { repository_uid: 'key', bytes: 'value', objects: 'value' },
  removed_places: { uid: 'key', removed_at: 'value', is_swept: 'value' },
  epoch_outbox: { position: 'key', repository_uid: 'value' },
  settings: { name: 'key', value: 'value' },
  repository_quotas: {
    repository_uid: 'key',
    namespace: 'value',
    bytes: 'value',
    number: 'value',
  },
  namespace_quotas: {
    ...{ namespace: 'key', bytes: 'value', number: 'value' },
    ...{ held: 'value', proposed: 'value' },
  },
  hub_link: {
    ...{ id: 'key', applied: 'value', known: 'value', lost_at: 'value', moving: 'value' },
    quotas_after: 'value',
  },
}

/** The catalogue as a copy sees it: every column of every table, and which ones are its key. */
const copiedCatalog: CopiedTables = {
  columns,
  head: { table: 'hub_link', meanwhile: { known: 0 } },
  filledByTriggers: ['stored_totals', 'namespace_quotas'],
  // A storage that has only been started.
  fromOpening: { settings: { column: 'name', values: [identityName, audienceName] } },
  // The terms of a large file are tens of kilobytes, and so is the rest of an upload.
  rowsPerPage: { stored_files: 250, file_uploads: 250 },
}

/** A file, or how a PostgreSQL is reached. */
export type CatalogSide = string | PostgresSettings

export interface CatalogCopy {
  readonly from: CatalogSide
  readonly to: CatalogSide
  readonly onProgress?: OnCopyProgress
}

export type CopiedCatalog = Omit<CopyResult, 'head'>

export async function copyCatalog({ from, to, onProgress }: CatalogCopy): Promise<CopiedCatalog> {
  refuseSameFile(from, to)
  const sides = { openSource: () => openSource(from), openTarget: () => openTarget(to) }
  const { head: _, ...copied } = await copyBetween(copiedCatalog, sides, onProgress)
  return copied
}

/** As a file, of one moment, while the storage runs: any machine can restore it, whatever its PostgreSQL. */
export async function backUpCatalog(database: Secret<'database-url'>, file: string): Promise<void> {
  await copyCatalog({ from: await settingsOf(database), to: file })
}

async function openSource(from: CatalogSide): Promise<CopySource> {
  if (typeof from !== 'string') {
    const { openPostgresSource } = await import('../catalog/postgres/copy-side.ts')
    return openPostgresSource(from)
  }
  if (existsSync(from)) return openSqliteSource(from)
  throw new CannotStart(
    `there is no catalogue ${from}. Name the file of a storage, or its directory with --data.`,
  )
}

async function openTarget(to: CatalogSide): Promise<CopyTarget> {
  if (typeof to === 'string') return openSqliteTarget(to)
  const { openPostgresTarget } = await import('../catalog/postgres/copy-side.ts')
  return openPostgresTarget(to)
}

function refuseSameFile(from: CatalogSide, to: CatalogSide): void {
  if (typeof from !== 'string' || typeof to !== 'string' || resolve(from) !== resolve(to)) return
  throw new CopyError(`${to} is the source and the target of this copy`)
}
