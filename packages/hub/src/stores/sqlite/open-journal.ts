/** The journal in a database file that nothing is written to: of a hub that was lost, or of a backup. */

import { CannotStart } from '@latchkey/service/cannot-start'
import { explained, openForReading, tablesOf, versionOf } from '@latchkey/service/database'
import type { Reading } from '../../directory/port/directory.ts'
import type { Schema } from '../../directory/port/schema.ts'
import { migrations } from './migrations/migrations.ts'

export interface OpenJournal {
  readonly tables: Reading
  close(): void
}

/** The version that began to keep one. */
const firstVersion = 4

export function openJournal(file: string): OpenJournal {
  return explained(file, () => {
    const database = openForReading(file)
    const version = versionOf(database)
    if (version >= firstVersion && version <= migrations.length) {
      return { tables: tablesOf<Schema>(database), close: () => database.close() }
    }
    database.close()
    throw new CannotStart(
      `the database ${file} has version ${version}, and this program reads the journals of versions ${firstVersion} to ${migrations.length}. Use the version of Latchkey that wrote it last.`,
    )
  })
}
