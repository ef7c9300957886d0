/** The tables of the hub for a check, where this program can read them: in a file, or in PostgreSQL. */

import { existsSync } from 'node:fs'
import { type Finding, skipped } from '@latchkey/service/checks'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { type InspectedStore, inspectStore } from '../stores/sqlite/inspect-store.ts'
import type { Reading } from '../tables/directory.ts'
import type { HubInstallation } from './installation.ts'

/** Each call is one transaction, and waits for nothing but the database. */
export type Read = <Result>(work: (tables: Reading) => Promise<Result>) => Promise<Result>

interface ReadableStore {
  readonly read: Read
  /** Of the tables; undefined where nothing says it. */
  readonly version: number | undefined
  readonly newestVersion: number
  close(): void
}

/** What is wrong with the database itself is said by its own check, once. */
export async function withStore(
  installation: HubInstallation,
  look: (read: Read) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const store =
    installation.databaseKind === 'sqlite'
      ? inFile(installation.file)
      : await inPostgres(installation)
  if (store === undefined) return [skipped('not looked at, because the database cannot be read')]
  try {
    if (store.version !== store.newestVersion) {
      return [skipped('not looked at, because the database has another version')]
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
