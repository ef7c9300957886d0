/** A copy of the catalogue in a file of its own, as the first version of a storage's database has it. */

import { closeSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openAlone } from '@latchkey/service/database'
import { syncPath } from '@latchkey/service/machine/sync-path'
import { catalogueSchema, catalogueTables } from './catalogue-tables.ts'

/** The version of a storage's database that has these tables and `handed_over`. */
const firstVersion = 1

/** For its owner only. A copy that an earlier attempt has left is replaced. */
export function copyCatalogue(database: DatabaseSync, copy: string): void {
  for (const ending of ['', '-journal']) rmSync(copy + ending, { force: true })
  closeSync(openSync(copy, 'wx', 0o600))
  const schema = Map.groupBy(catalogueSchema(database), ({ type }) => type)
  const make = (type: string) => schema.get(type)?.map(({ sql }) => `${sql};`) ?? []
  run(copy, make('table').join(''))
  copyRows(database, copy)
  // Indexes are faster to make at the end, and a trigger would count every row once more.
  const handedOver = 'CREATE TABLE handed_over (number INTEGER NOT NULL) STRICT;'
  run(copy, [...make('index'), ...make('trigger'), handedOver].join(''))
}

function copyRows(database: DatabaseSync, copy: string): void {
  database.prepare('ATTACH ? AS copy').run(resolve(copy))
  try {
    // Written anew after a crash, and synced before it gets its name.
    database.exec('PRAGMA copy.journal_mode = OFF; PRAGMA copy.synchronous = OFF')
    for (const table of catalogueTables) {
      database.exec(`INSERT INTO copy.${table} SELECT * FROM main.${table}`)
    }
    // A position of a file is never used twice, also when the last file has gone.
    database.exec(`
      DELETE FROM copy.sqlite_sequence;
      INSERT INTO copy.sqlite_sequence
        SELECT name, seq FROM main.sqlite_sequence WHERE name = 'stored_files'`)
  } finally {
    database.exec('DETACH copy')
  }
}

/** Gives a finished copy its name, with the number of the journal's last entry in it. */
export function nameCopy(copy: string, name: string, number: number): void {
  run(copy, `INSERT INTO handed_over VALUES (${number}); PRAGMA user_version = ${firstVersion}`)
  syncPath(copy)
  renameSync(copy, name)
  syncPath(dirname(resolve(name)))
}

function run(file: string, statements: string): void {
  const database = openAlone(file)
  try {
    database.exec(statements)
  } finally {
    database.close()
  }
}
