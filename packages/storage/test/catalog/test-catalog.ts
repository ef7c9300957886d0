/** The database that a test has its catalogue in: a file in its folder, or PostgreSQL where the run says so. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { askTestRun } from '@latchkey/testing/machine/ask-test-run'
import { type Address, databasesAt } from '@latchkey/testing/postgres/cluster'
import { sql } from 'kysely'
import {
  type CatalogDatabase,
  catalogFile,
  openCatalog,
} from '../../src/catalog/catalog-database.ts'
import { openPostgresCatalog } from '../../src/catalog/postgres/open-catalog.ts'

/** In the project `postgres` of `vitest.config.ts`. */
export const onPostgres = process.env['LATCHKEY_TEST_DATABASE'] === 'postgres'

const urlVariable = 'LATCHKEY_TEST_DATABASE_URL'

export interface TestCatalog extends CatalogDatabase {
  /** Undefined for a file. */
  readonly url: string | undefined
}

/** Empty, but for what a file of the folder has. */
export async function openTestCatalog(data: string): Promise<TestCatalog> {
  if (!onPostgres) {
    await putNewCatalog(data)
    return { ...openCatalog(data), url: undefined }
  }
  const opened = free.pop() ?? (await newCatalog())
  await opened.change((tables) => sql.raw(emptied).execute(tables))
  return {
    ...opened,
    async close() {
      free.push(opened)
    },
  }
}

/** The file of a new catalogue: its migrations take longer than a copy of what they made. */
async function putNewCatalog(data: string): Promise<void> {
  if (existsSync(catalogFile(data))) return
  made ??= migrate()
  writeFileSync(catalogFile(data), await made, { mode: 0o600 })
}

let made: Promise<Buffer> | undefined

async function migrate(): Promise<Buffer> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-new-'))
  try {
    await openCatalog(data).close()
    return readFileSync(catalogFile(data))
  } finally {
    rmSync(data, { recursive: true })
  }
}

/** Of a process that opens the same catalogue. */
export function environmentFor({ url }: TestCatalog): NodeJS.ProcessEnv {
  return { ...process.env, ...(url !== undefined && { [urlVariable]: url }) }
}

/** In such a process. */
export async function openSharedCatalog(data: string): Promise<CatalogDatabase> {
  const url = process.env[urlVariable]
  return url === undefined ? openCatalog(data) : openAt(url)
}

/** As another process has it. */
export async function openAgain({ url }: TestCatalog, data: string): Promise<CatalogDatabase> {
  return url === undefined ? openCatalog(data) : openAt(url)
}

/** Databases of worlds that are closed: to empty one takes a hundredth of what it takes to make and open one. */
const free: TestCatalog[] = []

const emptied = `
  DELETE FROM stored_xorbs; DELETE FROM stored_objects; DELETE FROM stored_files; DELETE FROM stored_chunks; DELETE FROM file_uploads; DELETE FROM xorb_grants; DELETE FROM stored_totals;
  DELETE FROM removed_places; DELETE FROM epoch_outbox; DELETE FROM repository_quotas; DELETE FROM namespace_quotas;
  UPDATE hub_link SET applied = NULL, known = 0, lost_at = NULL, quotas_after = NULL`

function openAt(url: string): Promise<CatalogDatabase> {
  return openPostgresCatalog(settingsOf(url), { create: true })
}

function settingsOf(url: string) {
  return readPostgresSettings(url, { environment: {}, home: '/nonexistent' })
}

async function newCatalog(): Promise<TestCatalog> {
  const address = await askTestRun<Address>('cluster')
  if (address === undefined) throw new Error('this run of the tests has no PostgreSQL')
  const cluster = databasesAt(address)
  const url = cluster.url(await cluster.createDatabase())
  return { ...(await openAt(url)), url }
}
