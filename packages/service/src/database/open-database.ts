import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { CannotStart } from '../machine/errors.ts'
import { explainErrors, isBusy } from './sqlite-error.ts'

/** At the start another process may still be migrating, and its disk may be slow. */
const startTimeoutMs = 10_000

/** The caller looks again in between whether it still has to be alone. */
const aloneTimeoutMs = 100

/** A larger file is not read whole at every start; damage in it shows when the page is used. */
const checkedWholeBytes = 16 * 1024 * 1024

export interface OpenOptions {
  /** How long a statement waits for another writer. A process that serves keeps it short, because waiting blocks it. */
  readonly busyTimeoutMs?: number
}

/** Migration n brings the file from version n to n + 1. */
export function openDatabase(
  file: string,
  migrations: readonly string[],
  { busyTimeoutMs = 5000 }: OpenOptions = {},
): DatabaseSync {
  return explainErrors(file, () => {
    const database = new DatabaseSync(file, { timeout: startTimeoutMs })
    return orClose(database, () => {
      bringToVersion(database, file, migrations)
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
      return database
    })
  })
}

/** A connection that cannot be used is closed, and leaves no file open. */
export function orClose<Result>(database: DatabaseSync, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens the same file for reading alone: a second connection, which sees what others have committed. */
export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1000 })
  return orClose(database, () => {
    // Not mapped into memory: a file that shrinks under a mapping kills the process.
    database.exec('PRAGMA cache_size = -32768')
    return database
  })
}

/**
 * Opens the file for reading, and leaves no other beside it: a reader makes `-wal` and `-shm` where they are missing. Where no
 * program has the file open they are missing, and all is in the file itself: it is read as one that cannot change.
 */
export function openUntouched(file: string): DatabaseSync {
  if (existsSync(`${file}-wal`)) return openForReading(file)
  const unchanging = pathToFileURL(file)
  unchanging.searchParams.set('immutable', '1')
  return new DatabaseSync(unchanging, { readOnly: true })
}

/**
 * Opens the file so that no other process has it open, until the connection is closed; fails as busy where one has.
 * The lock is asked for before the first read: SQLite then locks the whole file.
 */
export function openAlone(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: aloneTimeoutMs })
  return orClose(database, () => {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
    return database
  })
}

/**
 * Looks at a file that is there, and changes nothing; SQLite may finish what a crash has left. One transaction: between two
 * reads another process may commit.
 */
export function lookAt<Result>(file: string, look: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file, { timeout: aloneTimeoutMs })
  try {
    database.exec('BEGIN')
    return look(database)
  } finally {
    database.close()
  }
}

/** Brings a database that is open to this program's version; an error leaves the version that it had. */
function bringToVersion(database: DatabaseSync, file: string, migrations: readonly string[]): void {
  refuseNewer(database, file, migrations.length)
  journalAhead(database)
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  if (versionOf(database) < migrations.length) migrate(database, migrations)
  refuseNewer(database, file, migrations.length)
  refuseDamaged(database, file)
}

/** Blocks the process. Pauses differ, so that programs that lock each other out do not try again together. */
function pause(): void {
  Atomics.wait(nobody, 0, 0, 5 + Math.random() * 95)
}

const nobody = new Int32Array(new SharedArrayBuffer(4))

/** SQLite itself does not wait here for another process that does the same. */
function journalAhead(database: DatabaseSync): void {
  const giveUp = performance.now() + startTimeoutMs
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUp) throw error
      pause()
    }
  }
}

/** Asked before anything is written, and again in case another process has just migrated. */
function refuseNewer(database: DatabaseSync, file: string, knownVersion: number): void {
  const version = versionOf(database)
  if (version <= knownVersion) return
  throw new CannotStart(
    `the database ${file} has version ${version}, this program knows up to ${knownVersion}: it was written by a newer version of Latchkey. Use that version, or restore a backup.`,
  )
}

function refuseDamaged(database: DatabaseSync, file: string): void {
  if (statSync(file).size > checkedWholeBytes) return
  const damage = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (damage === 'ok') return
  throw new CannotStart(`the database ${file} is damaged (${damage}). Restore a backup.`)
}

/** One transaction for all steps: a crash leaves the file at the version it had. */
function migrate(database: DatabaseSync, migrations: readonly string[]): void {
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

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}
