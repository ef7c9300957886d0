/** A catalogue in PostgreSQL is opened as what it is, or not at all. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { catalogFile } from '../../src/catalog/catalog-database.ts'
import { readLinkState } from '../../src/catalog/link-state.ts'
import { openCatalogOf, openOwnCatalog } from '../../src/catalog-place/open-catalog.ts'

let own: Awaited<ReturnType<typeof ownDatabase>>
let data: string
beforeAll(async () => {
  own = await ownDatabase()
  data = mkdtempSync(join(tmpdir(), 'latchkey-opening-'))
  return () => rmSync(data, { recursive: true, force: true })
})

const settings = () => ({ data, database: new Secret('database-url', own.url) })

test('a command makes no schema where no storage has run', async () => {
  const opening = openCatalogOf(settings())
  await expect(opening).rejects.toThrow(CannotStart)
  await expect(opening).rejects.toThrow(/has no schema latchkey_storage: no storage has run on it/)
  expect(await own.sql("SELECT to_regnamespace('latchkey_storage') IS NULL")).toBe('t')
})

test('a storage makes it, and no file in its data directory', async () => {
  const database = await openOwnCatalog(settings())
  onTestFinished(() => database.close())
  expect(await database.read(readLinkState)).toMatchObject({ applied: undefined, knownNumber: 0 })
  expect(existsSync(catalogFile(data))).toBe(false)
})

test('a newer one is refused in one line without the password, and stays as it is', async () => {
  await own.sql('UPDATE latchkey_storage.schema_version SET version = 99')
  for (const open of [openOwnCatalog, openCatalogOf]) {
    const opening = open(settings())
    await expect(opening).rejects.toThrow(CannotStart)
    await expect(opening).rejects.toThrow(/version 99, .* newer version of Latchkey/)
    await expect(opening).rejects.not.toThrow(own.cluster.password)
  }
  expect(await own.sql('SELECT version FROM latchkey_storage.schema_version')).toBe('99')
})
