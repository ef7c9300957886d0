/** A look at a database that other processes have open. */

import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { lookAt, openDatabase, versionOf } from '@latchkey/service/database'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'

test('a look sees one state of the file, whatever others commit meanwhile', () => {
  const file = join(temporaryFolder(), 'notes.db')
  const other = openDatabase(file, ['CREATE TABLE notes (text TEXT) STRICT'])
  const seen = lookAt(file, (database) => {
    const before = stateOf(database)
    other.exec('DROP TABLE notes; PRAGMA user_version = 2')
    return [before, stateOf(database)]
  })
  expect(seen).toEqual(Array(2).fill({ version: 1, tables: ['notes'] }))
  expect(lookAt(file, stateOf)).toEqual({ version: 2, tables: [] })
  other.close()
})

function stateOf(database: DatabaseSync) {
  const rows = database.prepare('SELECT name FROM sqlite_schema').all()
  return { version: versionOf(database), tables: rows.map(({ name }) => name) }
}
