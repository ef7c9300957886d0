/** A file is brought to the version of the program whole, or stays as it was. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lookAt, openDatabase, pendingScript, versionOf } from '@latchkey/service/database'
import { CannotStart } from '@latchkey/service/machine/errors'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'

const first = 'CREATE TABLE notes (text TEXT) STRICT; INSERT INTO notes VALUES (1);'
const second = 'ALTER TABLE notes ADD COLUMN more TEXT;'

function newFile(): string {
  return join(temporaryFolder(), 'notes.db')
}

function contentOf(file: string) {
  return lookAt(file, (database) => ({
    version: versionOf(database),
    notes: database.prepare('SELECT * FROM notes').all(),
  }))
}

test('a file that an earlier program made gets the steps that it lacks, once, and keeps its rows', () => {
  const file = newFile()
  openDatabase(file, [first]).close()
  expect(contentOf(file)).toEqual({ version: 1, notes: [{ text: '1' }] })
  openDatabase(file, [first, second]).close()
  openDatabase(file, [first, second]).close()
  expect(contentOf(file)).toEqual({ version: 2, notes: [{ text: '1', more: null }] })
})

test('a step that fails leaves the version and the tables that were there', () => {
  const file = newFile()
  openDatabase(file, [first]).close()
  expect(() => openDatabase(file, [first, second, 'SELECT wrong'])).toThrow(CannotStart)
  expect(contentOf(file)).toEqual({ version: 1, notes: [{ text: '1' }] })
})

test('a file of a newer program is refused, and stays as it is', () => {
  const file = newFile()
  openDatabase(file, [first, second]).close()
  const before = readFileSync(file)
  for (const open of [openDatabase, pendingScript]) {
    expect(() => open(file, [first])).toThrow('has version 2, this program knows up to 1')
  }
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('the steps can be read before they are run: the text does the same, and reading changes nothing', () => {
  const file = newFile()
  openDatabase(file, [first]).close()
  const shown = pendingScript(file, [first, second])
  expect(shown).toMatch(/^-- \S+notes.db: from version 1 to 2\nBEGIN IMMEDIATE;\n/)
  expect(contentOf(file)).toMatchObject({ version: 1 })
  const database = openDatabase(file, [first])
  database.exec(shown)
  database.close()
  expect(contentOf(file)).toEqual({ version: 2, notes: [{ text: '1', more: null }] })
  expect(pendingScript(file, [first, second])).toBe('')
})
