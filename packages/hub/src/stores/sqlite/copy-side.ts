/** A SQLite file as one side of a copy. */

import { closeSync, existsSync, openSync } from 'node:fs'
import { CannotStart } from '@latchkey/service/cannot-start'
import {
  explained,
  isBusy,
  type OpenOptions,
  openAlone,
  openDatabase,
  orClose,
  tablesOf,
  versionOf,
  writerQueue,
} from '@latchkey/service/database'
import type { Schema } from '../../directory/port/schema.ts'
import type { CopySource, CopyTarget } from '../copy/copy-side.ts'
import { dropEmptyCatalogue } from './handing-over/catalogue-tables.ts'
import { migrations } from './migrations/migrations.ts'

/** No other process has the file open meanwhile: nothing is written that the copy would not have. */
export function openSqliteSource(file: string): CopySource {
  const place = `the database ${file}`
  const database = explained(file, () => openUnused(file))
  return orClose(database, () => {
    refuseVersion(place, versionOf(database))
    const tables = tablesOf<Schema>(database)
    return { place, read: (work) => work(tables), close: async () => database.close() }
  })
}

/** Makes the file where there is none, for its owner only. */
export function openSqliteTarget(file: string, options: OpenOptions = {}): CopyTarget {
  explained(file, () => existsSync(file) || closeSync(openSync(file, 'wx', 0o600)))
  const database = openDatabase(file, migrations, options)
  return orClose(database, () => {
    dropEmptyCatalogue(database)
    return {
      ...writerQueue<Schema>(database),
      place: `the database ${file}`,
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
  })
}

function openUnused(file: string) {
  try {
    return openAlone(file)
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new CannotStart(
      `the database ${file} is open in another process, such as a hub that runs. Stop it first: what it writes meanwhile would not be in the copy.`,
    )
  }
}

function refuseVersion(place: string, version: number): void {
  if (version === migrations.length) return
  const what =
    version > migrations.length
      ? 'It was written by a newer Latchkey: run that one'
      : 'Run "latchkey migrate" on it first'
  throw new CannotStart(
    `${place} has version ${version}, this program copies version ${migrations.length}. ${what}.`,
  )
}
