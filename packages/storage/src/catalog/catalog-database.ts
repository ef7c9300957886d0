/** The storage's own database: one connection that writes, one that answers requests. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Refusal, RepositoryUid } from '@latchkey/protocol'
import {
  explainErrors,
  inspectDatabase,
  isFull,
  openDatabase,
  openForReading,
  orClose,
  StorageFull,
  tablesOf,
  versionOf,
  writerQueue,
} from '@latchkey/service/database'
import type { KeyedTurns } from '@latchkey/service/limits/turns'
import { CannotStart } from '@latchkey/service/machine/errors'
import { DiskFull } from '../objects/object-store.ts'
import { type LinkState, readLinkState } from './link-state.ts'
import { migrations } from './migrations/migrations.ts'
import type { StorageSchema, StorageTables } from './schema.ts'

export interface CatalogDatabase extends ReadingDatabase {
  /** One transaction; a refusal or an exception rolls it back. Throws `DiskFull` when there is no room. */
  change<Result>(
    work: (tables: StorageTables) => Promise<Result | Refusal>,
  ): Promise<Result | Refusal>
  /** Whether a change keeps every other one waiting, of other processes too. */
  readonly isAlone: boolean
  /** Changes of one repository by this process wait for each other here, where they take up no connection. */
  readonly inTurn: KeyedTurns<RepositoryUid>['alone']
}

export interface ReadingDatabase {
  /** Reads committed rows; waits for no writer. */
  read<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Below the data directory of the storage. */
export function catalogFile(data: string): string {
  return join(data, 'storage.db')
}

/** Whether a storage has run on this data directory. */
export function hasCatalog(data: string): boolean {
  return existsSync(catalogFile(data))
}

/** The name of the catalogue until a restore has copied all of its objects. */
export function restoringCatalogFile(data: string): string {
  return `${catalogFile(data)}.restoring`
}

/** A catalogue that this program can open, or bring to its own version. Nothing is written. */
export function refuseNewerCatalog(file: string): void {
  explainErrors(file, () => {
    const database = openForReading(file)
    try {
      const version = versionOf(database)
      if (version > migrations.length) throw newerCatalog(file, version)
    } finally {
      database.close()
    }
  })
}

/** The catalogue for somebody who looks after it, and changes nothing. */
export interface InspectedCatalog {
  readonly version: number
  /** The version that this program brings a catalogue to. */
  readonly newestVersion: number
  damage(): string | undefined
  /** Reads a catalogue of the newest version. */
  linkState(): Promise<LinkState>
  read: ReadingDatabase['read']
  close(): void
}

export function inspectCatalog(data: string): InspectedCatalog {
  const { database, ...inspected } = inspectDatabase(catalogFile(data))
  const tables = tablesOf<StorageSchema>(database)
  const linkState = () => readLinkState(tables)
  return {
    ...inspected,
    newestVersion: migrations.length,
    linkState,
    read: (work) => work(tables),
  }
}

function newerCatalog(file: string, version: number): CannotStart {
  return new CannotStart(
    `the catalogue ${file} has version ${version}, this program knows up to ${migrations.length}: it was written by a newer version of Latchkey. Use that version.`,
  )
}

export interface OpenCatalogOptions {
  readonly busyTimeoutMs?: number
}

export function openCatalog(data: string, options: OpenCatalogOptions = {}): CatalogDatabase {
  const file = catalogFile(data)
  refuseCutOffRestore(data)
  const writing = openDatabase(file, migrations, options)
  const { change } = writerQueue<StorageSchema>(writing)
  const reading = orClose(writing, () => openCatalogForReading(data))
  return {
    read: (work) => unlessFull(() => reading.read(work)),
    change: (work) => unlessFull(() => change(work)),
    isAlone: true,
    inTurn: (_, work) => work(),
    async close() {
      await reading.close()
      writing.close()
    },
  }
}

/** A catalogue that names objects which are not there yet must not be served, nor a new one made beside it. */
function refuseCutOffRestore(data: string): void {
  const draft = restoringCatalogFile(data)
  if (!existsSync(draft)) return
  throw new CannotStart(
    `${draft} is there: a restore of the content was cut off, or is still running. Wait for it to end; or remove what it has left, and run "latchkey restore" again.`,
  )
}

/** For a thread that only looks things up; the file must be there. */
export function openCatalogForReading(data: string): ReadingDatabase {
  const database = openForReading(catalogFile(data))
  const tables = tablesOf<StorageSchema>(database)
  return { read: (work) => work(tables), close: async () => database.close() }
}

/** There is one error for a disk that is full, whoever finds it so. */
export async function unlessFull<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StorageFull || isFull(error))) throw error
    throw new DiskFull('there is no space left on the disk for the catalog', { cause: error })
  }
}
