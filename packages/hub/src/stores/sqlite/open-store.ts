/** A SQLite file as a store: one connection that writes, one that answers the hot path. */

import type { DatabaseSync } from 'node:sqlite'
import {
  type OpenOptions,
  openDatabase,
  openForReading,
  orClose,
  tablesOf,
  writerQueue,
} from '@latchkey/service/database'
import type { Staleness } from '../../access/moment.ts'
import type { Now } from '../../journal/append-entries.ts'
import { journaledDirectory } from '../../journal/journaled-directory.ts'
import type { Schema } from '../../tables/schema.ts'
import { defaultStaleness } from '../default-staleness.ts'
import type { Store } from '../store.ts'
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
