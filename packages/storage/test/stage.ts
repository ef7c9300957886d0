/** A hub and a storage in this process, with a clock moved by hand, and callers with tokens of their own. */

import type { RevocationSource } from '@latchkey/gate'
import { repositoryNames } from '@latchkey/hub/management'
import { Secret } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { ask } from '@latchkey/testing/hub/ask'
import { commit, type SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { linkTo, type RelayedLink } from '@latchkey/testing/hub/link-to'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { workHere } from '@latchkey/testing/machine/work-here'
import { vi } from 'vitest'
import type { ReadingDatabase } from '../src/catalog/catalog-database.ts'
import { readLinkState } from '../src/catalog/link-state.ts'
import { type RunningStorage, type StorageSettings, startStorage } from '../src/index.ts'
import { type Maintenance, openMaintenance } from '../src/maintenance/maintenance.ts'
import type { OpenPool } from '../src/threads/thread-pool.ts'
import { type Caller, callerWith } from './caller.ts'
import { openTestCatalog } from './catalog/test-catalog.ts'
import { openStageObjects } from './objects/stage-objects.ts'
import { bundledThreads } from './threads/bundled-threads.ts'

export interface Stage {
  /** Its verbs come back when the storage has followed the hub: deletions reach it a moment later. */
  readonly world: World
  readonly storage: RunningStorage
  /** Where the storage listens. */
  readonly url: string
  /** What the storage has logged. */
  readonly lines: readonly string[]
  /** A repository of its own for a test, such as `models/acme/r1`, with a branch `main`. */
  newRepository(): Promise<string>
  /** A branch of its own, made from another or from nothing. */
  newBranch(repository: string, ref: string, from?: string): Promise<void>
  /** `write models/acme/r1@main`: a token for this, and requests with it. */
  caller(what: string, as?: string): Promise<Caller>
  /** What the catalog has in all: xorbs, files and chunks. */
  rows(): Promise<readonly number[]>
  /** Between the storage and the hub. */
  readonly relayed: RelayedLink
  /** As a command on the machine has it. */
  readonly maintenance: Maintenance
  /** Until the storage has followed the hub: for changes that no verb of `world` has made. */
  follow(): Promise<void>
  /** Keys of the objects that are stored. */
  objects(): readonly string[]
  /** The file of an object, for tests that change it behind the back of the storage. */
  objectFile(key: string): string
  /** The same once every object has a name: others are deleted after the response. */
  namedObjects(): Promise<readonly string[]>
  drafts(): readonly string[]
  draftBytes(): number
  close(): Promise<void>
}

export interface StageOptions {
  readonly settings?: Partial<StorageSettings>
  readonly hub?: SettingsChange
  /** In place of the usual accounts. */
  readonly people?: object
  /** Left out: a hub without a forge. */
  readonly start?: (file: object, change?: SettingsChange) => Promise<World>
  readonly stopwatch?: () => number
  /** Left out: no threads, but in a soak. */
  readonly openPool?: OpenPool
  /** How the storage learns about revoked tokens; left out: none ever are. */
  readonly revocations?: (world: World) => RevocationSource
}

const people = {
  accounts: [{ name: 'writer' }, { name: 'rival' }, { name: 'third' }],
  namespaces: [{ name: 'acme', members: { writer: 'write' } }],
  hubTokens: [
    { account: 'writer', name: 'write', kind: 'write' },
    { account: 'writer', name: 'read', kind: 'read' },
    { account: 'rival', name: 'write', kind: 'write' },
    { account: 'third', name: 'write', kind: 'write' },
  ],
}

export async function openStage({
  settings,
  hub,
  people: given = people,
  start = startWorld,
  stopwatch,
  openPool = usualPool,
  revocations,
}: StageOptions = {}): Promise<Stage> {
  const running = await start(given, hub)
  const lines: string[] = []
  const relayed = await linkTo(running)
  const link = { ...relayed.link, ...(revocations && { revocations: revocations(running) }) }
  const { data } = running.settings
  const catalog = await openTestCatalog(data)
  const { url } = catalog
  const objects = await openStageObjects(data)
  const placed = objects.place === undefined ? {} : { objects: objects.place }
  const database = url === undefined ? {} : { database: new Secret('database-url', url) }
  const storage = await startStorage(
    { ...settingsFor(running), ...database, ...placed, ...settings },
    { link },
    {
      clock: running.now,
      ...(stopwatch && { stopwatch }),
      openPool,
      lines: { write: (line) => lines.push(line), async close() {} },
    },
  )
  const maintenance = await openMaintenance({
    data,
    ...placed,
    ...(settings?.objects && { objects: settings.objects }),
    database: catalog,
    link,
    names: repositoryNames(running.store),
    clock: running.now,
    letReadersEnd: async () => {},
  })
  const follow = followerOf({ catalog, relayed })
  const world = following(running, follow)
  let count = 0
  return {
    ...{ world, storage, lines, maintenance, relayed, follow, url: storage.url },
    async newRepository() {
      count += 1
      const repository = `models/acme/r${count}`
      await running.done('repo create', { repository, visibility: 'private' })
      await world.done('ref set', { repository, ref: 'main', commit: commit('a') })
      return repository
    },
    async newBranch(repository, ref, from) {
      const origin = from === undefined ? { commit: commit('a') } : { from }
      await world.done('ref set', { repository, ref, ...origin })
    },
    async caller(what, as = 'writer/write') {
      const { json, status, text } = await ask(world, what, { as })
      const { accessToken, casUrl } = json
      if (accessToken === undefined || casUrl === undefined) throw new Error(`${status}: ${text}`)
      return callerWith(storage.url, { token: accessToken, casUrl })
    },
    rows: () => countRows(catalog),
    objects: objects.keys,
    objectFile: objects.fileOf,
    namedObjects: () =>
      vi.waitFor(async () => {
        const [rows, found] = [await namesIn(catalog), objects.keys()]
        if (!found.every((name) => rows.has(name))) throw new Error('an object has no name')
        return found
      }, 10_000),
    drafts: objects.drafts,
    draftBytes: objects.draftBytes,
    async close() {
      await storage.stop()
      await catalog.close()
      await world.close()
      await objects.close()
    },
  }
}

async function namesIn(catalog: ReadingDatabase): Promise<ReadonlySet<string>> {
  const rows = await catalog.read((tables) =>
    tables.selectFrom('stored_objects').select('key').where('digest', 'is not', null).execute(),
  )
  return new Set(rows.map(({ key }) => key))
}

/** To start threads takes longer than what most tests do with them. */
export const usualPool: OpenPool = rounds(0, 1) === 0 ? workHere : bundledThreads

function followerOf({
  catalog,
  relayed,
}: {
  readonly catalog: ReadingDatabase
  readonly relayed: RelayedLink
}): () => Promise<void> {
  return async () => {
    await relayed.relay()
    const { number } = await relayed.link.changes({})
    await relayed.caughtUp()
    await vi.waitFor(async () => {
      const { applied = 0 } = await catalog.read(readLinkState)
      const unswept = await catalog.read((tables) =>
        tables.selectFrom('removed_places').select('uid').where('is_swept', '=', 0).execute(),
      )
      if (applied < number || unswept.length > 0) throw new Error('not followed yet')
    }, 60_000)
  }
}

/** Every change of the directory is followed before a test goes on. */
function following(world: World, follow: () => Promise<void>): World {
  return {
    ...world,
    async done(words, input) {
      const output = await world.done(words, input)
      await follow()
      return output
    },
    async apply(file) {
      await world.apply(file)
      await follow()
    },
  }
}

function settingsFor({ settings: { data, casUrl, publicUrl } }: World): StorageSettings {
  return {
    ...{ data, casUrl, issuer: publicUrl },
    host: '127.0.0.1',
    port: 0,
    isolation: 'ref',
    quota: { bytes: undefined, objects: undefined },
    leewaySeconds: 30,
    timeouts: { idleSeconds: 60, totalSeconds: 3600, minBytesPerSecond: 0 },
    cors: { origins: [] },
    allowedHosts: [],
    trustedProxies: [],
    limits: { failuresPerMinute: 0, connections: 1000 },
    log: { level: 'debug' },
    stopDeadlineSeconds: 1,
  }
}

function countRows({ read }: ReadingDatabase): Promise<readonly number[]> {
  return read(async (tables) => {
    const counts = (['stored_xorbs', 'stored_files', 'stored_chunks'] as const).map((table) =>
      tables
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    )
    return (await Promise.all(counts)).map(({ count }) => count)
  })
}
