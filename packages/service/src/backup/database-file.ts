/** SQLite files in a backup, and the files beside them. */

import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openForReading } from '../database/index.ts'
import { CannotStart } from '../machine/cannot-start.ts'
import { syncPath } from '../machine/sync-path.ts'
import { copyInPlace, makeFileAnew } from './files.ts'

/** A database that a restore writes under another name until it is whole. */
export interface RestoredFile {
  readonly name: string
  readonly draft: string
}

/** What SQLite keeps beside a database. It would add the pages of a lost database's `-wal` to the restored one. */
const besides = ['-wal', '-shm']

/** The file itself and all that SQLite may keep beside it. */
export function withBesides(file: string): readonly string[] {
  return [file, ...besides.map((ending) => file + ending)]
}

/** The copy shows one moment, while others write. It replaces a copy that is there. */
export function copyDatabase(from: string, to: string): void {
  makeFileAnew(to)
  const database = openForReading(from)
  try {
    database.prepare('VACUUM INTO ?').run(to)
  } finally {
    database.close()
  }
  syncPath(to)
}

/** Copies a database of a backup over a file that is there, and reads every page of the copy. */
export function copyChecked(original: string, to: string): void {
  copyInPlace(original, to)
  const damage = damageIn(to)
  if (damage === undefined) return
  throw new CannotStart(
    `${original} is damaged (${damage.replaceAll('\n', ' ')}); restore another backup`,
  )
}

/** Gives the draft its name. Nobody may have it open. */
export function nameDatabase({ name, draft }: RestoredFile): void {
  renameSync(draft, name)
  for (const beside of withBesides(draft)) rmSync(beside, { force: true })
  syncPath(dirname(name))
}

function damageIn(file: string): string | undefined {
  let database: DatabaseSync | undefined
  try {
    database = openForReading(file)
    const found = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    return found === 'ok' ? undefined : String(found)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    database?.close()
  }
}
