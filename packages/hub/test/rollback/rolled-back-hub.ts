/** A hub whose database a test can copy and put back while the hub is stopped, on SQLite and on PostgreSQL. */

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hubDocuments, hubRevocations } from '@latchkey/gate/hub-link'
import { Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { startOfTime, testSettings } from '@latchkey/testing/hub/hub-settings'
import { applied, type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import type { Databases } from '@latchkey/testing/postgres/cluster'
import { type Claims, isRevokedBy, revocableOf } from '@latchkey/token'
import { onTestFinished } from 'vitest'
import { openStore } from '../../src/data/open-store.ts'
import type { HubSettings } from '../../src/start/settings.ts'
import { type RunningHub, startHub } from '../../src/start/start-hub.ts'
import type { Store } from '../../src/stores/store.ts'

export interface Database {
  readonly settings: Pick<HubSettings, 'database'>
  /** While no hub runs on it. */
  copy(): Promise<void>
  putBack(): Promise<void>
}

export function inFile(data: string): Database {
  const file = join(data, 'latchkey.db')
  return {
    settings: { database: 'sqlite:latchkey.db' },
    async copy() {
      copyFileSync(file, `${file}.copy`)
    },
    async putBack() {
      for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true })
      copyFileSync(`${file}.copy`, file)
    },
  }
}

/** The copy has the same system identifier, timeline and tables: PostgreSQL itself shows no difference. */
export async function inPostgres(cluster: Databases): Promise<Database> {
  const name = await cluster.createDatabase()
  let copied = ''
  onTestFinished(() => cluster.dropDatabase(name))
  return {
    settings: {
      database: readPostgresSettings(cluster.url(name), {
        environment: {},
        home: '/nonexistent',
      }),
    },
    async copy() {
      copied = await cluster.createDatabase(`template ${name}`)
    },
    async putBack() {
      await cluster.dropDatabase(name)
      await cluster.sql(`alter database ${copied} rename to ${name}`)
    },
  }
}

const commit = '1'.repeat(40)

const directoryFile = {
  accounts: [{ name: 'ada' }, { name: 'cas', kind: 'service' }],
  namespaces: [{ name: 'acme', members: { ada: 'write', cas: 'read' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'other', kind: 'write' },
    { account: 'cas', name: 'link', kind: 'storage' },
  ],
}

export interface LogLine {
  readonly event: string
  readonly [field: string]: unknown
}

export interface IssuedToken {
  readonly claims: Claims
  readonly kid: string
}

/** A process of a gate: it has heard what the hub said since it was made. */
export interface TestGate {
  refresh(): Promise<void>
  admits(token: IssuedToken): boolean
}

export interface RolledBackHub {
  readonly data: string
  readonly database: Database
  readonly hubTokens: Readonly<Record<string, Secret<'hub-token'>>>
  /** The lines that the hub has logged since its last start. */
  log(event: string): readonly LogLine[]
  start(): Promise<void>
  stop(): Promise<void>
  pass(seconds: number): void
  now(): UnixSeconds
  /** As a command on the machine would. */
  run<Result>(work: (done: RunVerb, store: Store) => Promise<Result>): Promise<Result>
  issue(hubToken: string): Promise<IssuedToken>
  newGate(): Promise<TestGate>
  /** A storage that has followed the journal up to the first number; undefined asks for the last one. It knows of the second. */
  askChanges(
    after?: number,
    known?: number,
  ): Promise<{ readonly status: number; readonly number: number }>
}

export async function rolledBackHub(
  openDatabase: (data: string) => Database | Promise<Database>,
): Promise<RolledBackHub> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-rollback-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const database = await openDatabase(data)
  const settings = { ...testSettings(data), ...database.settings }
  let passed = 0
  const now = () => unixSeconds(startOfTime + passed)
  let lines: LogLine[] = []
  let hub: RunningHub | undefined
  const url = () => hub?.url ?? ''
  const run: RolledBackHub['run'] = async (work) => {
    const store = await openStore(settings, { create: true, nowMs: () => now() * 1000 })
    try {
      return await work(verbRunner({ ...store, data }, now), store)
    } finally {
      await store.close()
    }
  }
  const stop = async () => {
    await hub?.stop()
    hub = undefined
  }
  const start = async () => {
    lines = []
    hub = await startHub(settings, {
      clock: now,
      stopwatch: () => passed * 1000,
      lines: { write: (line) => lines.push(JSON.parse(line)), async close() {} },
    })
  }
  onTestFinished(stop)
  await start()
  const made = Object.entries(await run((done) => applied<string>(done, directoryFile)))
  const hubTokens = Object.fromEntries(
    made.map(([name, token]) => [name, new Secret('hub-token', token)]),
  )
  const bearer = (name: string) => ({ authorization: `Bearer ${hubTokens[name]?.reveal()}` })
  return {
    data,
    database,
    hubTokens,
    log: (event) => lines.filter((line) => line.event === event),
    start,
    stop,
    pass(seconds) {
      passed += seconds
    },
    now,
    run,
    async issue(hubToken) {
      const path = '/api/models/acme/bert/storage-write-token/main'
      const answer = await fetch(url() + path, { headers: bearer(hubToken) })
      const { accessToken } = (await answer.json()) as { accessToken: string }
      const [header, payload] = accessToken
        .split('.', 2)
        .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
      return { claims: payload, kid: header.kid }
    },
    async newGate() {
      const source = hubRevocations({
        documents: {
          head: (signal) => hubDocuments(url()).head(signal),
          keys: (signal) => hubDocuments(url()).keys(signal),
          list: (hash, signal) => hubDocuments(url()).list(hash, signal),
        },
        issuer: settings.publicUrl,
        clock: now,
        stopwatch: () => passed * 1000,
      })
      await source.refresh()
      return {
        refresh: source.refresh,
        admits({ claims, kid }) {
          const snapshot = source.latest()
          if (snapshot?.state() !== 'current') throw new Error('the gate has no current list')
          return !isRevokedBy(revocableOf(claims, kid), snapshot.list)
        },
      }
    },
    async askChanges(after, known) {
      const more = known === undefined ? '' : `&known=${known}`
      const query = after === undefined ? '' : `?after=${after}${more}`
      const answer = await fetch(`${url()}/link/v1/changes${query}`, {
        headers: bearer('cas/link'),
      })
      const { number } = (await answer.json()) as { number: number }
      return { status: answer.status, number }
    },
  }
}
