/** A catalogue is copied whole or not at all. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { catalogFile, openCatalog } from '../../src/catalog/catalog-database.ts'
import { copyCatalog } from '../../src/catalog-place/copy-catalog.ts'
import { openOwnCatalog } from '../../src/catalog-place/open-catalog.ts'

const data = sharedFolder()
const from = catalogFile(data)

function change(statements: string): void {
  const database = new DatabaseSync(from)
  database.exec(statements)
  database.close()
}

beforeAll(async () => {
  await openCatalog(data).close()
  change(`
    WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 900)
      INSERT INTO stored_files (ref_uid, hash, repository_uid, bytes, terms, written_at, stamp)
        SELECT 'ref', printf('%064x', n), 'repository', n, randomblob(48), n, n FROM some`)
})

function rowsOf(file: string): unknown {
  const database = new DatabaseSync(file)
  const tables = ['stored_files', 'stored_totals', 'hub_link', 'settings']
  const rows = tables.map((table) => database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all())
  database.close()
  return rows
}

test('a copy that is cut off leaves an empty catalogue, and the next one is whole', async () => {
  const place = { data: temporaryFolder() }
  const to = catalogFile(place.data)
  const onProgress = (_: string, rows: number) => {
    if (rows >= 500) throw new Error('cut off')
  }
  await expect(copyCatalog({ from, to, onProgress })).rejects.toThrow('cut off')
  expect(rowsOf(to)).toMatchObject([[], [], [{ known: 0 }], []])
  await copyCatalog({ from, to })
  expect(rowsOf(to)).toEqual(rowsOf(from))
  await (await openOwnCatalog(place)).close()
})

test('a file that a storage has open is refused', async () => {
  const database = openCatalog(data)
  const to = join(temporaryFolder(), 'copy.db')
  await expect(copyCatalog({ from, to })).rejects.toThrow(
    /is open in another process, such as a storage that runs/,
  )
  await database.close()
})
