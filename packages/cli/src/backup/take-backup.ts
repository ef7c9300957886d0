/** Takes a backup while hub and storage run: the catalogue, then the hub's database, then objects and repositories. */

import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openJournal, type Store } from '@latchkey/hub/management'
import { syncPath } from '@latchkey/service/machine/sync-path'
import { catalogFile } from '@latchkey/storage/upkeep'
import { copyDatabase, copyFile, linkOrCopy } from './files.ts'
import { type Contents, type Manifest, names, writeManifest } from './manifest.ts'
import { type Carried, carryObjects } from './objects.ts'
import { type CarriedRepositories, carryRepositories, repositoriesName } from './repositories.ts'

export interface BackupWatch {
  onProgress(count: number, bytes: number): void
  /** Objects or repositories went while the backup ran, so the databases are copied once more. */
  onRepeat(objects: number, repositories: number): void
}

export interface Taking {
  /** Undefined where a storage runs without its hub. */
  readonly store: Pick<Store, 'backup'> | undefined
  /** The data directory. */
  readonly data: string
  /** Writes a catalogue that is no file of the data directory to a file. */
  readonly backUpCatalogue?: ((file: string) => Promise<void>) | undefined
  readonly takenAt: string
  readonly latchkey: string
  readonly watch: BackupWatch
}

/**
 * Rows go before their objects. So an object that the copied catalogue names and that is gone has lost its row since,
 * and a new copy does not name it; one that a new copy names again is missing in the storage itself. What is carried
 * stays carried, so that this ends.
 */
export async function takeBackup(folder: string, taking: Taking): Promise<Manifest> {
  const { takenAt, latchkey, watch } = taking
  let lacking: readonly string[] = []
  for (;;) {
    const { objects: carried, repositories } = await takeOnce(folder, taking)
    const { count, bytes, missing } = carried
    const isLost = missing.length > 0 && missing.every((digest) => lacking.includes(digest))
    const { gone } = repositories
    if (gone.length === 0 && (missing.length === 0 || isLost)) {
      const contents = await contentsOf(folder)
      syncPath(folder)
      const all = { takenAt, latchkey, ...contents, objects: { count, bytes } }
      const git = { repositories: { count: repositories.count, bytes: repositories.bytes } }
      const made = writeManifest(folder, { ...all, ...git, missing: missing.length })
      syncPath(folder)
      return made
    }
    watch.onRepeat(missing.length, gone.length)
    lacking = missing
  }
}

interface TakenOnce {
  readonly objects: Carried
  readonly repositories: CarriedRepositories
}

/** The hub's database comes second, so that its journal has every number which the catalogue has heard of. */
async function takeOnce(folder: string, taking: Taking): Promise<TakenOnce> {
  const { store, data, watch } = taking
  const catalogue = join(folder, names.catalogue)
  const hasStorage = await copyCatalogue(catalogue, taking)
  if (store !== undefined) await copyHub(store, join(folder, names.database))
  const repositories =
    store === undefined ? { count: 0, bytes: 0, gone: [] } : await takeRepositories(folder, data)
  const { onProgress } = watch
  const objects = hasStorage
    ? await carryObjects({ catalogue, from: data, to: folder, carry: linkOrCopy, onProgress })
    : { count: 0, bytes: 0, missing: [] }
  return { objects, repositories }
}

/** Those that the copied directory has. A second attempt begins anew, so that refs are not older than the directory. */
async function takeRepositories(folder: string, data: string): Promise<CarriedRepositories> {
  rmSync(join(folder, repositoriesName), { recursive: true, force: true })
  const { tables, close } = openJournal(join(folder, names.database))
  try {
    const rows = await tables.selectFrom('repositories').select('uid').execute()
    const uids = new Set(rows.map(({ uid }) => String(uid)))
    return await carryRepositories({
      ...{ from: data, to: folder, uids, carry: linkOrCopy, copy: copyFile },
    })
  } finally {
    close()
  }
}

/** False where no storage has run here. */
async function copyCatalogue(to: string, { data, backUpCatalogue }: Taking): Promise<boolean> {
  if (backUpCatalogue === undefined) {
    const isThere = existsSync(catalogFile(data))
    if (isThere) copyDatabase(catalogFile(data), to)
    return isThere
  }
  rmSync(to, { force: true })
  await backUpCatalogue(to)
  syncPath(to)
  return true
}

async function copyHub(store: Pick<Store, 'backup'>, database: string): Promise<void> {
  rmSync(database, { force: true })
  closeSync(openSync(database, 'wx', 0o600))
  await store.backup(database)
  syncPath(database)
}

async function contentsOf(folder: string): Promise<Contents> {
  const { database, catalogue } = names
  if (!existsSync(join(folder, database))) return { database: null, journal: null, catalogue }
  const journal = await lastNumber(join(folder, database))
  const hasStorage = existsSync(join(folder, catalogue))
  return { database, journal, catalogue: hasStorage ? catalogue : null }
}

async function lastNumber(database: string): Promise<number> {
  const { tables, close } = openJournal(database)
  try {
    const head = await tables.selectFrom('journal_head').select('number').executeTakeFirstOrThrow()
    return head.number
  } finally {
    close()
  }
}
