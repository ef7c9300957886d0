/** A database file as somebody finds it who must not change anything, not even the files beside it. */

import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { openForReading, orClose, versionOf } from './open-database.ts'
import { explained } from './sqlite-error.ts'

export interface InspectedDatabase {
  readonly database: DatabaseSync
  readonly version: number
  /** Reads every page; undefined where all is well, otherwise what SQLite says. */
  damage(): string | undefined
  close(): void
}

export function inspectDatabase(file: string): InspectedDatabase {
  return explained(file, () => {
    const database = openUntouched(file)
    return orClose(database, () => ({
      database,
      version: versionOf(database),
      damage: () => damageIn(database),
      close: () => database.close(),
    }))
  })
}

/**
 * A reader makes `-wal` and `-shm` where they are missing, and leaves them to their next owner. Where no program has the
 * file open they are missing, and all is in the file itself: it is read as one that cannot change.
 */
function openUntouched(file: string): DatabaseSync {
  if (existsSync(`${file}-wal`)) return openForReading(file)
  const unchanging = pathToFileURL(file)
  unchanging.searchParams.set('immutable', '1')
  return new DatabaseSync(unchanging, { readOnly: true })
}

function damageIn(database: DatabaseSync): string | undefined {
  try {
    const found = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    return found === 'ok' ? undefined : String(found)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
