/** A store of a test's own: in a SQLite file, or in PostgreSQL where the run of the tests says so. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openPostgres, readPostgresSettings } from '@latchkey/service/postgres'
import { sharedCluster } from '@latchkey/testing/postgres/own-database'
import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { Tables } from '../../src/directory/port/directory.ts'
import type { Schema } from '../../src/directory/port/schema.ts'
import { openPostgresStore } from '../../src/stores/postgres/open-store.ts'
import { hubSchema } from '../../src/stores/postgres/schema-name.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../../src/stores/sqlite/open-store.ts'
import type { Store } from '../../src/stores/store.ts'

export const isOnPostgres = process.env['LATCHKEY_TEST_DATABASE'] === 'postgres'

export type TestStoreOptions = Pick<SqliteStoreOptions, 'nowMs' | 'staleness'>

/** Closed and emptied when the test is over. */
export async function openTestStore(options: TestStoreOptions = {}): Promise<Store> {
  const { open, finish } = await openDatabase(options)
  const store = await open()
  onTestFinished(() => finish([store]))
  return store
}

export interface TestDatabase {
  /** As often as there are hubs on it. */
  open(): Promise<Store>
  /** Takes the directory's rows and the journal's entries out, under open stores: numbers go on from where they are. */
  clear(): Promise<void>
  /** Closes the stores, and leaves nothing for the next test. */
  finish(stores: readonly Store[]): Promise<void>
}

export function openDatabase(options: TestStoreOptions = {}): Promise<TestDatabase> {
  return isOnPostgres ? databaseInPostgres(options) : databaseInFile(options)
}

/** With their rows go those of all other tables of the directory. */
const parents = ['repositories', 'namespaces', 'accounts', 'journal', 'cut_offs'] as const

/** In a file, whatever the run of the tests says. */
export async function databaseInFile(options: TestStoreOptions = {}): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-directory-'))
  const file = join(folder, 'hub.db')
  return {
    // Stores of one process: one that waited for another's lock would keep that one from giving it back.
    open: async () => openSqliteStore(file, { ...options, busyTimeoutMs: 1 }),
    async clear() {
      const database = new DatabaseSync(file)
      for (const table of parents) database.exec(`delete from ${table}`)
      database.close()
    },
    async finish(stores) {
      for (const store of stores) await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Addresses of databases that no test of this process uses now; each is as a new one. */
const free: string[] = []

async function databaseInPostgres(options: TestStoreOptions): Promise<TestDatabase> {
  const url = free.pop() ?? (await newDatabase())
  const settings = readPostgresSettings(url)
  const change = async (work: (tables: Tables) => Promise<void>) => {
    const database = await openPostgres<Schema>({ settings, schema: hubSchema, connections: 1 })
    await database.change(work)
    await database.close()
  }
  return {
    open: () => openPostgresStore(settings, { create: true, ...options }),
    clear: () =>
      change(async (tables) => {
        for (const table of parents) await sql`delete from ${sql.table(table)}`.execute(tables)
      }),
    async finish(stores) {
      for (const store of stores) await store.close()
      // Not before: a store whose numbers go back takes it for a copy that was put back.
      await change(empty)
      free.push(url)
    },
  }
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
