/** A database file as somebody finds it who must not change anything, not even the files beside it. */

import type { DatabaseSync } from 'node:sqlite'
import { openUntouched, orClose, versionOf } from './open-database.ts'
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

function damageIn(database: DatabaseSync): string | undefined {
  try {
    const found = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    return found === 'ok' ? undefined : String(found)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
