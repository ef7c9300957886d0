import { closeSync, existsSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import {
  lookAt,
  type OpenOptions,
  openAlone,
  openDatabase,
  orClose,
  versionOf,
} from '../database/open-database.ts'
import { explainErrors, isBusy } from '../database/sqlite-error.ts'
import { tablesOf, writerQueue } from '../database/writer-queue.ts'
import { CannotStart } from '../machine/errors.ts'
import type { AnySchema, CopySource, CopyTarget } from './copy-side.ts'

/** The kind of content of the file. */
export interface SqliteKind {
  readonly migrations: readonly string[]
  /** A process that may have it open: `a hub that runs`. */
  readonly user: string
  /** Whether a file with these tables holds something else, and what to do then. */
  isOther(tables: ReadonlySet<string>): boolean
  readonly ifOther: string
}

/** No other process has the file open meanwhile: nothing is written that the copy would not have. */
export function openFileSource(file: string, kind: SqliteKind): CopySource {
  const place = `the database ${file}`
  const database = explainErrors(file, () => openUnused(file, kind))
  return orClose(database, () => {
    refuseOther(place, database, kind)
    refuseVersion(place, versionOf(database), kind)
    const tables = tablesOf<AnySchema>(database)
    return { place, read: (work) => work(tables), close: async () => database.close() }
  })
}

/** Makes the file where there is none, for its owner only. */
export function openFileTarget(
  file: string,
  kind: SqliteKind,
  options: OpenOptions = {},
): CopyTarget {
  const place = `the database ${file}`
  explainErrors(file, () => {
    if (existsSync(file)) lookAt(file, (database) => refuseOther(place, database, kind))
    else closeSync(openSync(file, 'wx', 0o600))
  })
  const database = openDatabase(file, kind.migrations, options)
  return {
    place,
    change: writerQueue<AnySchema>(database).change,
    // SQLite's own sequences follow the positions that were inserted.
    finish: async () => {},
    async close() {
      try {
        // A copy of the file alone is then a copy of everything.
        database.exec('PRAGMA journal_mode = DELETE')
      } catch (error) {
        if (!isBusy(error)) throw error
      } finally {
        database.close()
      }
    },
  }
}

function openUnused(file: string, { user }: SqliteKind) {
  try {
    return openAlone(file)
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new CannotStart(
      `the database ${file} is open in another process, such as ${user}. Stop it first: the copy would not have its later writes.`,
    )
  }
}

function refuseOther(
  place: string,
  database: DatabaseSync,
  { isOther, ifOther }: SqliteKind,
): void {
  const rows = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  const tables = new Set(rows.map(({ name }) => String(name)))
  if (isOther(tables)) throw new CannotStart(`${place} ${ifOther}`)
}

function refuseVersion(place: string, version: number, { migrations }: SqliteKind): void {
  if (version === migrations.length) return
  const what =
    version > migrations.length
      ? 'It was written by a newer version of Latchkey: use that version'
      : 'Run "latchkey migrate" on it first'
  throw new CannotStart(
    `${place} has version ${version}, this program copies version ${migrations.length}. ${what}.`,
  )
}
