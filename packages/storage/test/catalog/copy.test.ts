/** A copy of a catalogue that is cut off: nothing uses it, and the next run finishes it. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { catalogFile, openCatalog } from '../../src/catalog/catalog-database.ts'
import { copyCatalog } from '../../src/catalog-place/copy-catalog.ts'
import { openCatalogOf, openOwnCatalog } from '../../src/catalog-place/open-catalog.ts'

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

class CutOff extends Error {}

async function cutOff(): Promise<{ readonly data: string; readonly to: string }> {
  const folder = temporaryFolder()
  const to = catalogFile(folder)
  const onProgress = (_: string, rows: number) => {
    if (rows >= 500) throw new CutOff()
  }
  await expect(copyCatalog({ from, to, onProgress })).rejects.toBeInstanceOf(CutOff)
  return { data: folder, to }
}

function rowsOf(file: string): unknown {
  const database = new DatabaseSync(file)
  const tables = ['stored_files', 'stored_totals', 'hub_link', 'settings']
  const rows = tables.map((table) => database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all())
  database.close()
  return rows
}

test('no storage and no command uses it, and the next run goes on', async () => {
  const { to, ...place } = await cutOff()
  for (const open of [openOwnCatalog, openCatalogOf]) {
    await expect(open(place)).rejects.toThrow(/storage.db holds a copy that is not finished/)
  }
  let first: number | undefined
  const onProgress = (_: string, rows: number) => {
    first ??= rows
  }
  const { isResumed } = await copyCatalog({ from, to, onProgress })
  expect(isResumed).toBe(true)
  expect(first).toBeLessThan(500)
  expect(rowsOf(to)).toEqual(rowsOf(from))
  await (await openOwnCatalog(place)).close()
})

test('what was removed and uploaded again meanwhile is in the copy once', async () => {
  const { to } = await cutOff()
  change(`
    DELETE FROM stored_files WHERE position = 5;
    INSERT INTO stored_files (ref_uid, hash, repository_uid, bytes, terms, written_at, stamp)
      VALUES ('ref', printf('%064x', 5), 'repository', 5, x'00', 5, 5)`)
  expect((await copyCatalog({ from, to })).isResumed).toBe(false)
  expect(rowsOf(to)).toEqual(rowsOf(from))
})

test('what was renewed meanwhile, and does not show in the head, is in the copy', async () => {
  const { to } = await cutOff()
  change('UPDATE stored_files SET stamp = stamp + 1 WHERE position = 7')
  expect((await copyCatalog({ from, to })).isResumed).toBe(true)
  expect(rowsOf(to)).toEqual(rowsOf(from))
})

test('a file that a storage has open is refused', async () => {
  const database = openCatalog(data)
  const to = join(temporaryFolder(), 'copy.db')
  await expect(copyCatalog({ from, to })).rejects.toThrow(
    /is open in another process, such as a storage that runs/,
  )
  await database.close()
})
