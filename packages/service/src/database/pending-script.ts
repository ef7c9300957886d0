/** What opening a file would do to bring it to this program's version. */

import { CannotStart } from '../machine/cannot-start.ts'
import { lookAt, versionOf } from './open-database.ts'
import { explained } from './sqlite-error.ts'

/** Of a file that is there. */
export function versionIn(file: string): number {
  return explained(file, () => lookAt(file, versionOf))
}

/** The SQL; empty where there is nothing to do. Changes nothing. */
export function pendingScript(file: string, migrations: readonly string[]): string {
  const version = versionIn(file)
  if (version > migrations.length) {
    throw new CannotStart(
      `the database ${file} has version ${version}, this program knows up to ${migrations.length}: it was written by a newer Latchkey. Run that one.`,
    )
  }
  const texts = migrations.slice(version).map((text) => text.trim())
  if (texts.length === 0) return ''
  const first = `-- ${file}: from version ${version} to ${migrations.length}\nBEGIN IMMEDIATE;`
  const last = `PRAGMA user_version = ${migrations.length};`
  return `${[first, ...texts, last, 'COMMIT;'].join('\n\n')}\n`
}
