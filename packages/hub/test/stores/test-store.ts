/** A store of a test's own: in a SQLite file, or in PostgreSQL where the run of the tests says so. */

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  openPostgres,
  type PostgresDatabase,
  readPostgresSettings,
} from '@latchkey/service/postgres'
import { putNewDatabase } from '@latchkey/testing/hub/new-database'
import { folderOfTestRun } from '@latchkey/testing/machine/ask-test-run'
import { sharedCluster } from '@latchkey/testing/postgres/own-database'
import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { Now } from '../../src/journal/append-entries.ts'
import { setting as knownServer } from '../../src/stores/postgres/known-server.ts'
import { openPostgresStore } from '../../src/stores/postgres/open-store.ts'
import { hubSchema } from '../../src/stores/postgres/server-name.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../../src/stores/sqlite/open-store.ts'
import type { Store } from '../../src/stores/store.ts'
import type { Tables } from '../../src/tables/directory.ts'
import type { Schema } from '../../src/tables/schema.ts'
import { copiedDirectory } from '../../src/tables/table-columns.ts'

export const isOnPostgres = process.env['LATCHKEY_TEST_DATABASE'] === 'postgres'

/** What takes long and does not depend on the database runs on PostgreSQL in a soak alone. */
export const isLongHere = isOnPostgres && process.env['LATCHKEY_SOAK'] !== '1'

/** For tests that take long everywhere. */
export const longHere: readonly 'soak'[] = isLongHere ? ['soak'] : []

export type TestStoreOptions = Pick<SqliteStoreOptions, 'nowMs' | 'staleness'>

/** `onTestFinished`; or `afterAll`, for what several tests read. */
export type WhenOver = (end: () => Promise<void>) => void

/** Emptied when the test is over. */
export async function openTestStore(
  options: TestStoreOptions = {},
  whenOver: WhenOver = onTestFinished,
): Promise<Store> {
  const taken = options.staleness === undefined ? await takeKeptStore(options.nowMs) : undefined
  if (taken !== undefined) {
    whenOver(() => giveBack(taken))
    return taken.store
  }
  const { open, finish } = await openDatabase(options)
  const store = await open()
  whenOver(() => finish([store]))
  return store
}

interface KeptStore {
  readonly store: Store
  /** False where there is too much in it: a new one is had sooner. */
  readonly clear: () => Promise<boolean>
  readonly close: () => Promise<void>
  /** Of the test that has it now. */
  readonly clock: { nowMs: Now }
}

/** No test of this process uses them now. They end with it: to open one takes longer than most tests do. */
const kept: KeptStore[] = []

/** In PostgreSQL, each asks its database for news every second. */
const maxKept = 2

async function takeKeptStore(nowMs: Now | undefined): Promise<KeptStore | undefined> {
  // In PostgreSQL the numbers of a test go on from those of the tests before it, which had other clocks.
  if (isOnPostgres && nowMs !== undefined) return undefined
  const taken = kept.pop() ?? (await openKeptStore())
  if (taken === undefined) return undefined
  taken.clock.nowMs = nowMs ?? Date.now
  return taken
}

async function giveBack(taken: KeptStore): Promise<void> {
  const isKept = kept.length < maxKept && (await taken.clear())
  if (isKept) kept.push(taken)
  else await taken.close()
}

async function openKeptStore(): Promise<KeptStore | undefined> {
  if (isOnPostgres) return keptInPostgres()
  const folder = folderOfTestRun()
  return folder === undefined ? undefined : keptInFile(folder)
}

/** The file goes with the run: a worker of vitest ends without a word. */
async function keptInFile(folder: string): Promise<KeptStore> {
  const clock = { nowMs: Date.now }
  const file = join(folder, `kept-${randomUUID()}.db`)
  await putNewDatabase(file)
  const store = openSqliteStore(file, { nowMs: () => clock.nowMs(), busyTimeoutMs: 1 })
  const cleaner = new DatabaseSync(file)
  const count = cleaner.prepare('select count(*) as entries from journal')
  return {
    store,
    clock,
    async clear() {
      if (Number(count.get()?.['entries']) >= few) return false
      cleaner.exec(['begin', ...clearing, ...beginning, 'commit'].join(';\n'))
      return true
    },
    async close() {
      await store.close()
      cleaner.close()
      rmSync(file)
    },
  }
}

async function keptInPostgres(): Promise<KeptStore> {
  const settings = readPostgresSettings(await newDatabase())
  const store = await openPostgresStore(settings, { create: true })
  const cleaner = await openPostgres<Schema>({ settings, schema: hubSchema, connections: 1 })
  const close = async () => {
    await store.close()
    await cleaner.close()
  }
  const clearAll = async () => {
    await cleaner.change(clear)
    return true
  }
  return { store, clock: { nowMs: Date.now }, clear: clearAll, close }
}

export interface TestDatabase {
  /** As often as there are hubs on it. */
  open(): Promise<Store>
  /** What `restore` brings back. */
  remember(): Promise<void>
  /** For stores that stay open; in PostgreSQL the numbers go on from where they are. */
  restore(): Promise<void>
  /** Closes the stores, and leaves nothing for the next test. */
  finish(stores: readonly Store[]): Promise<void>
}

export function openDatabase(options: TestStoreOptions = {}): Promise<TestDatabase> {
  return isOnPostgres ? databaseInPostgres(options) : databaseInFile(options)
}

const firstEntry = `insert into journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
  select number, 0, number, 'migrate', 'journal', 'created', false, '{}' from journal_head`

/** A store that is open takes numbers that go back for a copy that was put back. */
const goOn =
  'update journal_head set number = number + 1, pruned_through = 0, mark = 0, is_open = false'

/** A store in a file does not mind numbers that go back. */
const beginning: readonly string[] = [
  'delete from settings',
  'delete from sqlite_sequence',
  `update journal_head set number = unixepoch() * 1000, pruned_through = 0, mark = 0, is_open = false`,
  firstEntry,
]

/** A table comes after those that its rows name. */
const { columns, filledByTriggers } = copiedDirectory
const tablesButSettings = Object.keys(columns).filter(
  (table) => table !== 'settings' && table !== 'journal_head',
)

const allButSettings = tablesButSettings.join(', ')

/** From tables whose names begin with these words. Triggers have added what the copy has already. */
function bringBack(remembered: string): readonly string[] {
  return [
    ...clearing,
    ...tablesButSettings.flatMap((table) => [
      ...(filledByTriggers.includes(table) ? [`delete from ${table}`] : []),
      `insert into ${table} select * from ${remembered}${table}`,
    ]),
  ]
}

/** Stores that are open have seen numbers up to that of the head. The first entry, of the migrations, keeps its own. */
const first = `(select min(number) from remembered_journal)`
const second = `(select min(number) from remembered_journal where previous <> 0)`
const ahead = `(select number from journal_head) + 1 - ${second}`

const renumber: readonly string[] = [
  `update remembered_repositories set epoch = epoch + ${ahead} where epoch <> 0`,
  `update remembered_refs set forked_number = forked_number + ${ahead} where forked_number is not null`,
  `update remembered_commit_holders set recorded_number = recorded_number + ${ahead}
    where recorded_number is not null`,
  `update remembered_journal set number = number + ${ahead},
    previous = case previous when ${first} then previous else previous + ${ahead} end where previous <> 0`,
]

/** With the rows of these tables go those of all others. */
const clearing: readonly string[] = [
  ...['repositories', 'namespaces', 'accounts', 'journal', 'cut_offs'],
  ...['hub_token_prefixes', 'signing_keys', 'device_codes'],
].map((table) => `delete from ${table}`)

/** Few rows are gone sooner than by TRUNCATE, after which every connection plans its statements anew. */
const few = 500

async function clear(tables: Tables): Promise<void> {
  const some = tables.selectFrom('journal').select('number').limit(few)
  const isMuch = (await some.execute()).length === few
  const removing = isMuch ? [`truncate ${allButSettings}`] : clearing
  // The name of the server is what the open store has found there.
  const forgetting = `delete from settings where name <> '${knownServer}'`
  await runAll(tables, [...removing, forgetting, goOn, firstEntry])
}

/** On one way to the server and back. */
async function runAll(tables: Tables, statements: readonly string[]): Promise<void> {
  await sql.raw(statements.join(';\n')).execute(tables)
}

/** In a file, whatever the run of the tests says. */
export async function databaseInFile(options: TestStoreOptions = {}): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-directory-'))
  const file = join(folder, 'hub.db')
  await putNewDatabase(file)
  let cleaner: DatabaseSync | undefined
  return {
    // Stores of one process: one that waited for another's lock would keep that one from giving it back.
    open: async () => openSqliteStore(file, { ...options, busyTimeoutMs: 1 }),
    async remember() {
      cleaner = new DatabaseSync(file)
      const copy = join(folder, 'remembered.db')
      cleaner.exec(`vacuum into '${copy}'; attach '${copy}' as remembered`)
    },
    async restore() {
      const head = 'number, pruned_through, mark, is_open'
      const oldHead = `update journal_head set (${head}) = (select ${head} from remembered.journal_head)`
      cleaner?.exec(['begin', ...bringBack('remembered.'), oldHead, 'commit'].join(';\n'))
    },
    async finish(stores) {
      for (const store of stores) await store.close()
      cleaner?.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Addresses of databases that no test of this process uses now; each is as a new one. */
const free: string[] = []

async function databaseInPostgres(options: TestStoreOptions): Promise<TestDatabase> {
  const url = free.pop() ?? (await newDatabase())
  const settings = readPostgresSettings(url)
  let opening: Promise<PostgresDatabase<Schema>> | undefined
  const cleaner = () => {
    opening ??= openPostgres<Schema>({ settings, schema: hubSchema, connections: 1 })
    return opening
  }
  return {
    open: () => openPostgresStore(settings, { create: true, ...options }),
    async remember() {
      const { change } = await cleaner()
      const copies = tablesButSettings.map(
        (table) => `create table remembered_${table} as table ${table}`,
      )
      await change((tables) => runAll(tables, copies))
    },
    async restore() {
      const { change } = await cleaner()
      const head = `update journal_head set number = (select max(number) from journal), pruned_through = 0,
        mark = mark + 1, is_open = false`
      const all = [...renumber, ...bringBack('remembered_'), head]
      await change((tables) => runAll(tables, all))
    },
    async finish(stores) {
      for (const store of stores) await store.close()
      const { change, close } = await cleaner()
      // Not before: a store whose numbers go back takes it for a copy that was put back.
      const copies = tablesButSettings.map((table) => `drop table if exists remembered_${table}`)
      await change((tables) => runAll(tables, [...emptying, ...copies]))
      await close()
      free.push(url)
    },
  }
}

async function newDatabase(): Promise<string> {
  const cluster = await sharedCluster()
  return cluster.url(await cluster.createDatabase())
}

/** As the migrations leave it, for stores that are opened later. */
export const emptying: readonly string[] = [
  `truncate settings, ${allButSettings} restart identity`,
  `update journal_head set number = floor(extract(epoch from clock_timestamp()) * 1000), pruned_through = 0,
    mark = 0, is_open = false`,
  firstEntry,
]
