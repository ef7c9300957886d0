/** Opens the store that the settings name, in a data directory that is fit for it. */

import { existsSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { removeEmpty } from '@latchkey/service/machine/data-directory'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { PostgresSettings } from '@latchkey/service/postgres'
import { masterKeyFile } from '../keys/master-key.ts'
import type { PostgresStoreOptions } from '../stores/postgres/open-store.ts'
import { openSqliteStore } from '../stores/sqlite/open-store.ts'
import type { Store } from '../stores/store.ts'
import { prepareDataDirectory, restoringFile } from './data-directory.ts'

/** Where the data are, as the settings say it. */
export interface DataPlace {
  readonly data: string
  readonly database: DatabasePlace
}

/** `sqlite:FILE`, where a relative file lies in the data directory; or how a PostgreSQL is reached. */
export type DatabasePlace = string | PostgresSettings

export interface OpenStoreOptions
  extends Pick<PostgresStoreOptions, 'hub' | 'listenAt' | 'staleness' | 'tell'> {
  /** Make the data directory and the database where there are none. */
  readonly create: boolean
  /** The advice for the operator if there is no database and this call must not create one. */
  readonly ifMissing?: string
  readonly busyTimeoutMs?: number
  /** Milliseconds since 1970, for the numbers of the journal. */
  readonly nowMs?: () => number
}

/** A PostgreSQL that is named counts as one: whether it is there shows when it is opened. */
export function hasStore({ data, database }: DataPlace): boolean {
  return typeof database !== 'string' || existsSync(sqliteFile(data, database))
}

export async function openStore(
  { data, database }: DataPlace,
  { create, ifMissing = "Name the hub's own directory with --data.", ...options }: OpenStoreOptions,
): Promise<Store> {
  if (typeof database !== 'string')
    return openBesidePostgres(data, database, { create, ...options })
  const file = sqliteFile(data, database)
  if (!create) refuseMissing(file, ifMissing)
  const made = prepareDataDirectory(data, { create })
  try {
    refuseLostStore(data, file)
    return openSqliteStore(file, options)
  } catch (error) {
    removeEmpty(made)
    throw error
  }
}

export function refuseMissing(file: string, ifMissing: string): void {
  if (!existsSync(file)) throw new CannotStart(`there is no database ${file}. ${ifMissing}`)
}

/** The data directory has the master key, unless the operator gives it in another way. */
async function openBesidePostgres(
  data: string,
  settings: PostgresSettings,
  options: PostgresStoreOptions,
): Promise<Store> {
  const made = prepareDataDirectory(data, options)
  try {
    // The driver is loaded where a PostgreSQL is named, and nowhere else.
    const { openPostgresStore } = await import('../stores/postgres/open-store.ts')
    return await openPostgresStore(settings, options)
  } catch (error) {
    removeEmpty(made)
    throw error
  }
}

/** Where the database is not there, and something else says that it was. */
export function refuseLostStore(data: string, file: string): void {
  refuseCutOffRestore(file)
  refuseLostDatabase(data, file)
}

/** A new database beside it would look like the one that was to be restored. */
function refuseCutOffRestore(file: string): void {
  const draft = restoringFile(file)
  if (existsSync(file) || !existsSync(draft)) return
  throw new CannotStart(
    `the database ${file} is not there, but ${draft} is: a restore was cut off, or is still running. Wait for it to end; or remove what it has left, and run "latchkey restore" again.`,
  )
}

/** The catalogue of a storage in the same data directory. */
const catalogueName = 'storage.db'

/** Key file and catalogue are made after the database: where they lie alone, the database has been lost. */
function refuseLostDatabase(data: string, file: string): void {
  const isEmpty = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0
  const made = [masterKeyFile(data), join(data, catalogueName)]
  const left = made.find((path) => existsSync(path))
  if (!isEmpty || left === undefined) return
  throw new CannotStart(
    `the database ${file} is empty or gone, but ${left} is there. Restore a backup into an empty data directory with "latchkey restore"; or remove that file to start from scratch.`,
  )
}

/** For what is done with a file alone. */
export function sqliteFile(data: string, database: DatabasePlace): string {
  const [, file] = typeof database === 'string' ? (/^sqlite:(.+)$/.exec(database) ?? []) : []
  if (file === undefined) {
    throw new CannotStart('this needs a database in a file, given as sqlite:FILE.')
  }
  return isAbsolute(file) ? file : join(data, file)
}
