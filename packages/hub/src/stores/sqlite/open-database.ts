/** Opens a SQLite database file and brings it to this program's version. */

import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CannotStart } from '@latchkey/service/cannot-start'
import { migrations } from './migrations/migrations.ts'

/** At the start another process may still be migrating. */
const startTimeoutMs = 2000

/** A larger file is not read whole at every start; damage in it shows when the page is used. */
const checkedWholeBytes = 16 * 1024 * 1024

/** Management waits this long for another writer; a serving hub keeps it short, because waiting blocks it. */
export interface OpenOptions {
  readonly busyTimeoutMs?: number
}

export function openDatabase(
  file: string,
  { busyTimeoutMs = 5000 }: OpenOptions = {},
): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: startTimeoutMs })
    prepare(database, file)
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    return database
  } catch (error) {
    database?.close()
    throw error instanceof CannotStart ? error : new CannotStart(explain(error, file))
  }
}

/** Opens the same file for reading alone: a second view, which sees other connections' commits as they happen. */
export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1000 })
  // Not mapped into memory: a file that shrinks under a mapping kills the process.
  database.exec('PRAGMA cache_size = -32768')
  return database
}

function prepare(database: DatabaseSync, file: string): void {
  refuseNewer(database, file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  if (versionOf(database) < migrations.length) migrate(database)
  refuseNewer(database, file)
  refuseDamaged(database, file)
}

/** Asked before anything is written, and again in case another process has just migrated. */
function refuseNewer(database: DatabaseSync, file: string): void {
  const version = versionOf(database)
  if (version <= migrations.length) return
  throw new CannotStart(
    `the database ${file} has version ${version}, this program knows up to ${migrations.length}: it was written by a newer Latchkey. Run that one, or restore a backup.`,
  )
}

function refuseDamaged(database: DatabaseSync, file: string): void {
  if (statSync(file).size > checkedWholeBytes) return
  const damage = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (damage === 'ok') return
  throw new CannotStart(`the database ${file} is damaged (${damage}). Restore a backup.`)
}

/** One transaction for all steps: a crash leaves the file at the version it had. */
function migrate(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated while this one waited for the lock.
    for (const step of migrations.slice(versionOf(database))) database.exec(step)
    database.exec(
      `PRAGMA user_version = ${Math.max(versionOf(database), migrations.length)}; COMMIT`,
    )
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

const busy = 5
const readOnly = 8
const ioError = 10
const corrupt = 11
const full = 13
const cannotOpen = 14
const notADatabase = 26

/** SQLite's primary result code, if the error is one of SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : Number.NaN
  return Number.isNaN(code) ? undefined : code & 0xff
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === busy
}

export function isFull(error: unknown): boolean {
  return sqliteCode(error) === full
}

function explain(error: unknown, file: string): string {
  switch (sqliteCode(error)) {
    case busy:
      return `the database ${file} is locked by another process. Stop that process, or wait until it is done.`
    case readOnly:
    case cannotOpen:
      return `the database ${file} cannot be opened for writing. Check that its directory exists and belongs to this user.`
    case full:
      return `there is no room left on the disk for the database ${file}. Free some space.`
    case ioError:
      return `the database ${file} cannot be read or written (input/output error). Check the disk.`
    case corrupt:
    case notADatabase:
      return `the database ${file} is damaged or is no Latchkey database. Restore a backup, or choose another data directory.`
    default:
      return `the database ${file} cannot be opened: ${error instanceof Error ? error.message : error}`
  }
}
