/** A database file as somebody finds it who must not change anything, not even the files beside it. */

import type { DatabaseSync } from 'node:sqlite'
import { CannotStart } from '../machine/errors.ts'
import { lookAt, openUntouched, orClose, versionOf } from './open-database.ts'
import { explainErrors } from './sqlite-error.ts'

export interface InspectedDatabase {
  readonly database: DatabaseSync
  readonly version: number
  /** Reads every page; undefined where all is well, otherwise what SQLite says. */
  damage(): string | undefined
  close(): void
}

export function inspectDatabase(file: string): InspectedDatabase {
  return explainErrors(file, () => {
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

/** The version of a database whose file exists. */
export function versionIn(file: string): number {
  return explainErrors(file, () => lookAt(file, versionOf))
}

/** The SQL; empty where there is nothing to do. Changes nothing. */
export function pendingScript(file: string, migrations: readonly string[]): string {
  const version = versionIn(file)
  if (version > migrations.length) {
    throw new CannotStart(
      `the database ${file} has version ${version}, this program knows up to ${migrations.length}: it was written by a newer version of Latchkey. Use that version.`,
    )
  }
  const texts = migrations.slice(version).map((text) => text.trim())
  if (texts.length === 0) return ''
  const first = `-- ${file}: from version ${version} to ${migrations.length}\nBEGIN IMMEDIATE;`
  const last = `PRAGMA user_version = ${migrations.length};`
  return `${[first, ...texts, last, 'COMMIT;'].join('\n\n')}\n`
}
