/** A SQLite file as a store: one connection that writes, one that answers the hot path. */

import type { DatabaseSync } from 'node:sqlite'
import type { CopySource, CopyTarget } from '@latchkey/service/copy'
import { openFileSource, openFileTarget, type SqliteKind } from '@latchkey/service/copy/sqlite-side'
import {
  explainErrors,
  type InspectedDatabase,
  inspectDatabase,
  type OpenOptions,
  openDatabase,
  openForReading,
  orClose,
  tablesOf,
  versionOf,
  writerQueue,
} from '@latchkey/service/database'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { Staleness } from '../../access/moment.ts'
import type { Now } from '../../journal/append-entries.ts'
import { journaledDirectory } from '../../journal/journaled-directory.ts'
import type { Reading } from '../../tables/directory.ts'
import type { Schema } from '../../tables/schema.ts'
import { defaultStaleness, type Store } from '../store.ts'
import { migrations } from './migrations/migrations.ts'
import { sqliteAccess } from './sqlite-access.ts'

export interface SqliteStoreOptions extends Pick<OpenOptions, 'busyTimeoutMs'> {
  /** Where the journal takes its numbers from. */
  readonly nowMs?: Now
  readonly staleness?: Staleness
}

export function openSqliteStore(
  file: string,
  { nowMs = Date.now, staleness = defaultStaleness, ...options }: SqliteStoreOptions = {},
): Store {
  const writing = openDatabase(file, migrations, options)
  const reading = orClose(writing, () => openForReading(file))
  const tables = tablesOf<Schema>(reading)
  const readBeside: Store['readBeside'] = (work) => work(tables)
  return {
    directory: journaledDirectory({ ...writerQueue<Schema>(writing), readBeside }, nowMs),
    readBeside,
    counts: undefined,
    access: sqliteAccess(reading, staleness),
    async isReady() {
      return answers(reading)
    },
    async backup(target) {
      reading.prepare('VACUUM INTO ?').run(target)
    },
    async close() {
      reading.close()
      writing.close()
    },
  }
}

function answers(database: DatabaseSync): boolean {
  try {
    return database.prepare('SELECT count(*) FROM settings').get() !== undefined
  } catch {
    return false
  }
}

export interface InspectedStore extends Omit<InspectedDatabase, 'database'> {
  /** The version that this program brings a database to. */
  readonly newestVersion: number
  /** The tables of a database of the newest version. */
  readonly tables: Reading
}

export function inspectStore(file: string): InspectedStore {
  const { database, ...inspected } = inspectDatabase(file)
  return { ...inspected, newestVersion: migrations.length, tables: tablesOf<Schema>(database) }
}

/** The journal in a database file that nothing is written to: of a hub that was lost, or of a backup. */
export interface OpenJournal {
  readonly tables: Reading
  close(): void
}

export function openJournal(file: string): OpenJournal {
  return explainErrors(file, () => {
    const database = openForReading(file)
    return orClose(database, () => {
      refuseVersion(file, versionOf(database))
      return { tables: tablesOf<Schema>(database), close: () => database.close() }
    })
  })
}

function refuseVersion(file: string, version: number): void {
  if (version === migrations.length) return
  throw new CannotStart(
    `the database ${file} has version ${version}, and this program reads the journals of version ${migrations.length}. Use the version of Latchkey that wrote it last.`,
  )
}

const kind: SqliteKind = {
  migrations,
  user: 'a hub that runs',
  isOther: (tables) => tables.has('stored_xorbs'),
  ifOther: 'holds the catalogue of a storage. Say --only storage to copy that.',
}

export function openSqliteSource(file: string): CopySource {
  return openFileSource(file, kind)
}

export function openSqliteTarget(
  file: string,
  options: Pick<OpenOptions, 'busyTimeoutMs'> = {},
): CopyTarget {
  return openFileTarget(file, kind, options)
}
