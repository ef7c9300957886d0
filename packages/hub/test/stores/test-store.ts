/** A store of a test's own: in a SQLite file, or in PostgreSQL where the run of the tests says so. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { sharedCluster } from '@latchkey/testing/postgres/own-database'
import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { Tables } from '../../src/directory/port/directory.ts'
import { openPostgresStore } from '../../src/stores/postgres/open-store.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../../src/stores/sqlite/open-store.ts'
import type { Store } from '../../src/stores/store.ts'

export const isOnPostgres = process.env['LATCHKEY_TEST_DATABASE'] === 'postgres'

export type TestStoreOptions = Pick<SqliteStoreOptions, 'nowMs' | 'staleness'>

/** Closed and emptied when the test is over. */
export function openTestStore(options: TestStoreOptions = {}): Promise<Store> {
  return isOnPostgres ? openOnPostgres(options) : openInFile(options)
}

async function openInFile(options: TestStoreOptions): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-directory-'))
  const store = openSqliteStore(join(folder, 'hub.db'), options)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}

/** Addresses of databases that no test of this process uses now; each is as a new one. */
const free: string[] = []

async function openOnPostgres(options: TestStoreOptions): Promise<Store> {
  const url = free.pop() ?? (await newDatabase())
  const store = await openPostgresStore(readPostgresSettings(url), { create: true, ...options })
  onTestFinished(async () => {
    await store.directory.note('demo mark', ({ tables }) => empty(tables))
    await store.close()
    free.push(url)
  })
  return store
}

async function newDatabase(): Promise<string> {
  const cluster = await sharedCluster()
  return cluster.url(await cluster.createDatabase())
}

/** As the migrations leave it. */
async function empty(tables: Tables): Promise<void> {
  await sql`truncate settings, hub_token_prefixes, signing_keys, accounts, namespaces, members, repositories,
    collaborators, refs, commits, commit_holders, past_holders, hub_tokens, journal, cut_offs restart identity`.execute(
    tables,
  )
  await sql`update journal_head set number = floor(extract(epoch from clock_timestamp()) * 1000), pruned_through = 0,
    mark = 0, is_open = false`.execute(tables)
  await sql`insert into journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
    select number, 0, number, 'migrate', 'journal', 'created', false, '{}' from journal_head`.execute(
    tables,
  )
}
