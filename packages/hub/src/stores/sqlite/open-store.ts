/** A SQLite file as a store: one connection that writes, one that answers the hot path. */

import type { DatabaseSync } from 'node:sqlite'
import {
  type OpenOptions,
  openDatabase,
  openForReading,
  tablesOf,
  writerQueue,
} from '@latchkey/service/database'
import type { Schema } from '../../directory/port/schema.ts'
import type { Now } from '../../journal/append-entries.ts'
import { journaledDirectory } from '../../journal/journaled-directory.ts'
import type { Store } from '../store.ts'
import { migrations } from './migrations/migrations.ts'
import { sqliteAccess } from './sqlite-access.ts'

export interface SqliteStoreOptions extends OpenOptions {
  /** Where the journal takes its numbers from. */
  readonly nowMs?: Now
}

export function openSqliteStore(
  file: string,
  { nowMs = Date.now, ...options }: SqliteStoreOptions = {},
): Store {
  const writing = openDatabase(file, migrations, options)
  const reading = readingBeside(writing, file)
  const tables = tablesOf<Schema>(reading)
  return {
    directory: journaledDirectory(writerQueue<Schema>(writing), nowMs),
    readBeside: (work) => work(tables),
    access: sqliteAccess(reading),
    async isReady() {
      return answers(reading)
    },
    async backup(target) {
      reading.prepare('VACUUM INTO ?').run(target)
    },
    close() {
      reading.close()
      writing.close()
    },
  }
}

function readingBeside(writing: DatabaseSync, file: string): DatabaseSync {
  try {
    return openForReading(file)
  } catch (error) {
    writing.close()
    throw error
  }
}

function answers(database: DatabaseSync): boolean {
  try {
    return database.prepare('SELECT count(*) FROM settings').get() !== undefined
  } catch {
    return false
  }
}
