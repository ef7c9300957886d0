import { existsSync } from 'node:fs'
import {
  type AnsweringDatabase,
  type DatabaseAnswer,
  type Finding,
  skippedFinding,
} from '@latchkey/service/checks'
import { CannotStart } from '@latchkey/service/machine/errors'
import { findHead } from '../journal/read-journal.ts'
import type { HubSettings } from '../start/settings.ts'
import type { InspectedPostgres } from '../stores/postgres/inspect-store.ts'
import { type InspectedStore, inspectStore } from '../stores/sqlite/open-store.ts'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'

/** Each call is one transaction, and waits for nothing but the database. */
type Read = <Result>(work: (tables: Reading) => Promise<Result>) => Promise<Result>

interface ReadableStore {
  readonly read: Read
  /** The version of the tables; undefined if no table states it. */
  readonly version: number | undefined
  readonly newestVersion: number
  close(): void
}

/** A separate check reports, once, what is wrong with the database itself. */
export async function withStore(
  installation: HubInstallation,
  look: (read: Read) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const store =
    installation.databaseKind === 'sqlite'
      ? inFile(installation.file)
      : await inPostgres(installation)
  if (store === undefined)
    return [skippedFinding('not looked at, because the database cannot be read')]
  try {
    if (store.version !== store.newestVersion) {
      return [skippedFinding('not looked at, because the database has another version')]
    }
    return await look(store.read)
  } finally {
    store.close()
  }
}

function inFile(file: string): ReadableStore | undefined {
  const store = readable(file)
  if (store === undefined) return undefined
  const { tables, version, newestVersion, close } = store
  return { read: (work) => work(tables), version, newestVersion, close }
}

/** Its connection stays open for the next check. */
async function inPostgres({ database }: HubInstallation): Promise<ReadableStore | undefined> {
  const answer = await database()
  if (answer.kind !== 'answers') return undefined
  const { store, schema } = answer
  if (!schema.isReadable || schema.missingTables.length > 0) return undefined
  const { read, newestVersion } = store
  return { read, version: schema.version, newestVersion, close: () => {} }
}

function readable(file: string): InspectedStore | undefined {
  if (!existsSync(file)) return undefined
  try {
    return inspectStore(file)
  } catch (error) {
    if (error instanceof CannotStart) return undefined
    throw error
  }
}

/** No rows where the database is a file. Its own check says once why it does not answer. */
export async function withDatabase(
  installation: HubInstallation,
  look: (
    database: AnsweringDatabase<InspectedPostgres>,
  ) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  if (installation.databaseKind !== 'postgres') return []
  const answer = await installation.database()
  return answer.kind === 'answers'
    ? look(answer)
    : [skippedFinding('not looked at, because the database does not answer')]
}

/** The journal of the hub, as far as it concerns somebody who follows it. */
export interface JournalReading {
  /** The number of its last entry. */
  head(): Promise<number>
  countAfter(number: number): Promise<number>
}

export function withJournal(
  installation: HubInstallation,
  run: (journal: JournalReading) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  return withStore(installation, (read) =>
    run({
      head: () => read(async (tables) => (await findHead(tables)).number),
      countAfter: (number) =>
        read((tables) => countOf(tables.selectFrom('journal').where('number', '>', number))),
    }),
  )
}

/** The uids of all repositories. */
export function withRepositoryUids(
  installation: HubInstallation,
  run: (uids: ReadonlySet<string>) => readonly Finding[],
): Promise<readonly Finding[]> {
  return withStore(installation, (read) =>
    read(async (tables) => {
      const rows = await tables.selectFrom('repositories').select('uid').execute()
      return run(new Set(rows.map(({ uid }) => uid)))
    }),
  )
}

export interface HubInstallation {
  readonly settings: HubSettings
  readonly databaseKind: 'sqlite' | 'postgres'
  /** The file of an SQLite database; empty for PostgreSQL. */
  readonly file: string
  /** Names of files in the data directory that hold keys of other parts. */
  readonly otherKeyFiles: readonly string[]
  /** Tokens are refused where clocks are further apart. */
  readonly leewaySeconds: number
  /** By this machine's clock, in milliseconds since 1970. */
  readonly nowMs: () => number
  /** Whether a hub answers at the address of these settings. */
  readonly isRunning: () => Promise<boolean>
  /** Facts of a PostgreSQL, read once for all checks. */
  readonly database: () => Promise<DatabaseAnswer<InspectedPostgres>>
}
