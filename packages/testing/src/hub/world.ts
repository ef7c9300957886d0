/** A hub in this process, on a database of its own, with a clock that tests move by hand. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type HubSettings,
  type HubSurroundings,
  openStore,
  type RunningHub,
  type Store,
  startHub,
} from '@latchkey/hub'
import { Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { readPostgresSettings } from '@latchkey/service/postgres/settings'
import { type SettingsChange, startOfTime, testSettings } from './hub-settings.ts'
import { putNewDatabaseOf } from './new-database.ts'
import { applied, type RunVerb, verbRunner } from './run-verbs.ts'

export interface World {
  readonly hub: RunningHub
  readonly settings: HubSettings
  /** A connection of its own, as a management command would have it. */
  readonly store: Store
  /** Hub tokens by `account/name`. */
  readonly tokens: Readonly<Record<string, Secret<'hub-token'>>>
  readonly logLines: readonly string[]
  now(): UnixSeconds
  /** Moves both clocks of the hub. */
  passSeconds(seconds: number): void
  apply(file: object): Promise<void>
  /** Runs a verb of the directory as a management command would; it must succeed. */
  readonly done: RunVerb
  close(): Promise<void>
}

interface WorldOptions extends Partial<Pick<HubSurroundings, 'forge' | 'companions'>> {
  /** For the lines of the hub; others may write there, too. */
  readonly logLines?: string[]
}

export async function startWorld(
  file: object,
  change: SettingsChange = {},
  { forge, companions = {}, logLines = [] }: WorldOptions = {},
): Promise<World> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-hub-'))
  const { database, drop } = change.database === undefined ? await newPostgres() : nothingNew
  const settings = testSettings(data, { ...database, ...change })
  await putNewDatabaseOf(settings)
  const tokens: Record<string, Secret<'hub-token'>> = {}
  let passed = 0
  const now = () => unixSeconds(startOfTime + passed)
  const hub = await startHub(settings, {
    clock: now,
    stopwatch: () => passed * 1000,
    forge,
    companions,
    lines: { write: (line) => logLines.push(line), async close() {} },
  }).catch(async (error) => {
    rmSync(data, { recursive: true, force: true })
    await drop()
    throw error
  })
  const store = await openStore(settings, { create: false, nowMs: () => now() * 1000 })
  const done = verbRunner({ ...store, data }, now, settings.hubTokenPrefix)
  const apply = async (wanted: object): Promise<void> => {
    for (const [name, token] of Object.entries(await applied<string>(done, wanted))) {
      tokens[name] = new Secret('hub-token', token)
    }
  }
  await apply(file)
  return {
    hub,
    settings,
    store,
    tokens,
    logLines,
    now,
    apply,
    done,
    passSeconds(seconds) {
      passed += seconds
    },
    async close() {
      await hub.stop()
      await store.close()
      await drop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

interface NewDatabase {
  readonly database: SettingsChange
  drop(): Promise<void>
}

const nothingNew: NewDatabase = { database: {}, async drop() {} }

/** Where the run of the tests is on PostgreSQL; elsewhere the data directory has the database. */
async function newPostgres(): Promise<NewDatabase> {
  if (process.env['LATCHKEY_TEST_DATABASE'] !== 'postgres') return nothingNew
  // It needs vitest, which a benchmark has not.
  const { sharedCluster } = await import('../postgres/own-database.ts')
  const cluster = await sharedCluster()
  const name = await cluster.createDatabase()
  return {
    database: { database: readPostgresSettings(cluster.url(name)) },
    drop: () => cluster.dropDatabase(name),
  }
}
