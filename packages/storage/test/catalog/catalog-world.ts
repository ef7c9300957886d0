/** A catalog on a database of its own, with the directory's verbs beside it and a clock moved by hand. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type HubLink, noRevocations } from '@latchkey/gate/hub-link'
import { openStore, repositoryFinder, type Store, whatItSees } from '@latchkey/hub'
import { storeLink } from '@latchkey/hub/management'
import {
  asRefUid,
  journalNumber,
  parseRepoRef,
  parseRevision,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { filesIn } from '@latchkey/testing/machine/folder'
import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { Catalog, View, WritablePlace } from '../../src/catalog/catalog.ts'
import { type CatalogDatabase, catalogFile } from '../../src/catalog/catalog-database.ts'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import type { Quota } from '../../src/catalog/quota.ts'
import { sweepPlaces } from '../../src/catalog/removed-places.ts'
import type { WritingOptions } from '../../src/catalog/write-in-place.ts'
import { askHub } from '../../src/following/ask-hub.ts'
import { onPostgres, openTestCatalog, type TestCatalog } from './test-catalog.ts'

export const bert = 'models/acme/bert'
export const other = 'models/acme/other'

export interface CatalogWorld {
  /** The data directory of both. */
  readonly data: string
  /** The storage's database, for another connection as another process has one. */
  readonly file: string
  readonly store: Store
  readonly catalog: Catalog
  readonly database: TestCatalog
  readonly link: HubLink
  /** What another catalog on the same database needs. */
  readonly writing: WritingOptions
  /** Applies what the hub has removed, and deletes its rows. */
  followed(): Promise<void>
  now(): UnixSeconds
  passSeconds(seconds: number): void
  /** Runs a verb of the directory, which must succeed, and lets the storage follow. */
  readonly done: RunVerb
  place(repository: string, revision: string): Promise<WritablePlace>
  /** What the hub would let a token for the revision see. */
  view(repository: string, revision: string): Promise<View>
  rows(sql: string): Promise<readonly Record<string, unknown>[]>
  /** Of the hub's database. */
  directoryRows(sql: string): readonly Record<string, unknown>[]
  /** Happens by itself when the test is over. */
  close(): Promise<void>
}

export interface WorldOptions {
  readonly quota?: Quota
  readonly areObjectsShared?: boolean
  readonly restAfterLargeWrite?: () => Promise<unknown>
}

/** Another catalog on the same database, whose changes wait before they are committed. */
export function beforeCommit(
  { catalog, writing }: Pick<CatalogWorld, 'catalog' | 'writing'>,
  wait: () => Promise<unknown>,
): Catalog {
  const { database } = writing
  const change: CatalogDatabase['change'] = (work) =>
    database.change(async (tables) => {
      const done = await work(tables)
      await wait()
      return done
    })
  return {
    ...databaseCatalog({ ...writing, database: { ...database, change }, quota: {} }),
    reserveObject: catalog.reserveObject,
  }
}

/** With the repositories `bert` and `other`, each with a branch `main` made a minute ago. */
export async function openWorld(options: WorldOptions = {}): Promise<CatalogWorld> {
  databases ??= await databasesOfFirstWorld()
  const data = mkdtempSync(join(tmpdir(), 'latchkey-catalog-'))
  for (const [name, bytes] of databases) writeFileSync(join(data, name), bytes)
  const world = await openIn(data, options)
  onTestFinished(world.close)
  // In a file, what was followed in the first world is there already.
  if (onPostgres) await world.followed()
  world.passSeconds(60)
  return world
}

/** Every world begins with these, so that two databases are made and filled once in a process. */
let databases: ReadonlyMap<string, Buffer> | undefined

async function databasesOfFirstWorld() {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-catalog-'))
  const { done, closeFiles, close } = await openIn(data, {})
  try {
    await done('namespace create', { name: 'acme' })
    for (const repository of [bert, other]) {
      await done('repo create', { repository, visibility: 'public' })
      await done('ref set', { repository, ref: 'main', commit: commit(1) })
    }
    await closeFiles()
    return filesIn(data)
  } finally {
    await close()
  }
}

async function openIn(data: string, { quota = {}, ...options }: WorldOptions) {
  const clock = movedByHand()
  const nowMs = () => clock.clock() * 1000
  const store = await openStore({ data, database: 'sqlite:hub.db' }, { create: true, nowMs })
  const database = await openTestCatalog(data)
  const directoryRows = readerOf(join(data, 'hub.db'))
  let isOpen = true
  const closeFiles = async () => {
    if (!isOpen) return
    isOpen = false
    directoryRows.close()
    await database.close()
    await store.close()
  }
  const close = async () => {
    await closeFiles()
    rmSync(data, { recursive: true, force: true })
  }
  const following = {
    link: {
      ...storeLink(store, { verb: 'link raise-epoch' }),
      keys: noKeys,
      revocations: noRevocations,
    },
    database,
    clock: clock.clock,
  }
  const ask = askHub(following)
  const writing = { database, upToDate: ask, clock: clock.clock }
  const catalog = databaseCatalog({ ...writing, quota, ...options })
  const followed = async () => {
    await ask()
    await sweepPlaces(database)
  }
  const run = verbRunner(store, clock.clock)
  const done: RunVerb = async (words, input) => {
    const output = await run(words, input)
    await followed()
    return output
  }
  return {
    ...{ data, store, catalog, database, writing },
    link: following.link,
    file: catalogFile(data),
    followed,
    now: clock.clock,
    passSeconds: clock.passSeconds,
    done,
    ...lookingUp(store),
    rows: (text: string) => rowsIn(database, text),
    directoryRows: directoryRows.all,
    closeFiles,
    close,
  }
}

const noKeys = { known: () => undefined, refresh: async () => true }

/** A hash that stands for a commit in tests. */
export function commit(number: number): string {
  return number.toString(16).padStart(40, '0')
}

function movedByHand() {
  let now = unixSeconds(1_800_000_000)
  return {
    clock: () => now,
    passSeconds(seconds: number) {
      now = unixSeconds(now + seconds)
    },
  }
}

function lookingUp({ access }: Store): Pick<CatalogWorld, 'place' | 'view'> {
  const find = async (repository: string, revision: string) => {
    const repo = parseRepoRef(repository)
    const found =
      repo &&
      (await repositoryFinder(access, systemClock)(undefined, repo, parseRevision(revision)))
    if (found?.ref === undefined) throw new Error(`there is no ${repository}@${revision}`)
    return { repositoryUid: found.uid, ref: found.ref }
  }
  return {
    async place(repository, revision) {
      const { repositoryUid, ref } = await find(repository, revision)
      return { repositoryUid, refUid: ref.uid, refuseIfRevoked: () => undefined }
    },
    async view(repository, revision) {
      const { repositoryUid, ref } = await find(repository, revision)
      const sees = whatItSees(ref, () => true).map(({ uid, before }) => ({
        uid: asRefUid(uid),
        before: journalNumber(before),
      }))
      return { repositoryUid, refs: [{ uid: ref.uid, before: undefined }, ...sees] }
    },
  }
}

async function rowsIn({ read }: TestCatalog, text: string) {
  const { rows } = await read((tables) => sql.raw<Record<string, unknown>>(text).execute(tables))
  return rows.map((row) => ({ ...row }))
}

function readerOf(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  return {
    all: (sql: string): readonly Record<string, unknown>[] =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
    close: () => database.close(),
  }
}
