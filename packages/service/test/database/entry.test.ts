/** A service without a database does not load the database's packages. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sources = join(import.meta.dirname, '../../src')

/** Node has no lock on files, and SQLite has. A program that needs one loads this file alone. */
const lock = 'machine/exclusive-lock.ts'

const withDatabase = ['database', 'postgres', 'copy', 'checks', 'backup']

test('no file outside of the rooms for databases, checks and backups imports the query builder, a driver or a file inside them', () => {
  const outside = globSync('**/*.ts', {
    cwd: sources,
    exclude: [...withDatabase.map((folder) => `${folder}/**`), lock],
  })
  expect(outside.length).toBeGreaterThan(10)
  const loading = outside.filter((file) =>
    /from '(?:kysely|pg'|node:sqlite|.*\b(?:database|postgres|copy)\/)/.test(
      readFileSync(join(sources, file), 'utf8'),
    ),
  )
  expect(loading).toEqual([])
})
