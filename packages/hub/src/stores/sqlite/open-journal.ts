/** The journal in a database file that nothing is written to: of a hub that was lost, or of a backup. */

import { explained, openForReading, orClose, tablesOf, versionOf } from '@latchkey/service/database'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import type { Reading } from '../../tables/directory.ts'
import type { Schema } from '../../tables/schema.ts'
import { migrations } from './migrations/migrations.ts'

export interface OpenJournal {
  readonly tables: Reading
  close(): void
}

export function openJournal(file: string): OpenJournal {
  return explained(file, () => {
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
