/** A hub's database of version 4, with the catalogue of its storage in it. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../../src/stores/sqlite/migrations/migrations.ts'

export const catalogueTables = ['stored_xorbs', 'stored_files', 'stored_chunks', 'stored_totals']

const content = `
  INSERT INTO stored_xorbs VALUES
    ('main', 'x1', 'bert', 'digest-1', 100, 200, 1, 5, 7), ('dev', 'x1', 'bert', 'digest-1', 100, 200, 1, 6, 0);
  INSERT INTO stored_files (ref_uid, hash, repository_uid, bytes, terms, written_at) VALUES
    ('main', 'f1', 'bert', 200, x'00ff', 5), ('dev', 'f2', 'bert', 1, x'01', 6);
  DELETE FROM stored_files WHERE hash = 'f2';
  INSERT INTO stored_chunks VALUES ('main', 'c1', 'bert', 'x1', 5);`

/** Gives the file; `statements` come instead of its content. */
export function oldDatabase(folder: string, statements = content): string {
  const file = join(folder, 'hub.db')
  if (statements !== content) fill(file, statements)
  else if (made !== undefined) writeFileSync(file, made)
  else {
    fill(file, content)
    made = readFileSync(file)
  }
  return file
}

/** To make one takes ten times as long as to copy it. */
let made: Buffer | undefined

function fill(file: string, statements: string): void {
  const database = new DatabaseSync(file)
  for (const step of migrations.slice(0, 4)) database.exec(step)
  database.exec(`PRAGMA journal_mode = WAL; ${statements}; PRAGMA user_version = 4`)
  database.close()
}

/** Tables, indexes and triggers by their names. */
export function schemaOf(file: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare(
    'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name',
  )
  const schema = rows.all()
  database.close()
  return schema
}

export function versionOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true })
  const version = database.prepare('PRAGMA user_version').get()?.['user_version']
  database.close()
  return version
}
