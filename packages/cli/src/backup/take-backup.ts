/** Takes a backup while hub and storage run: the catalogue, then the hub's database, then the objects. */

import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { catalogueFile, openJournal, type Store } from '@latchkey/hub/management'
import { syncPath } from '@latchkey/service/sync-path'
import { copyDatabase, linkOrCopy } from './files.ts'
import { type Contents, type Manifest, names, writeManifest } from './manifest.ts'
import { type Carried, carryObjects } from './objects.ts'

export interface BackupWatch {
  onProgress(count: number, bytes: number): void
  /** Objects went while the backup ran, so the catalogue is copied once more. */
  onRepeat(missing: number): void
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
    const { count, bytes, missing } = await takeOnce(folder, taking)
    const isLost = missing.length > 0 && missing.every((digest) => lacking.includes(digest))
    if (missing.length === 0 || isLost) {
      const contents = await contentsOf(folder)
      syncPath(folder)
      const all = { takenAt, latchkey, ...contents, objects: { count, bytes } }
      const made = writeManifest(folder, { ...all, missing: missing.length })
      syncPath(folder)
      return made
    }
    watch.onRepeat(missing.length)
    lacking = missing
  }
}

/** The hub's database comes second, so that its journal has every number which the catalogue has heard of. */
async function takeOnce(folder: string, taking: Taking): Promise<Carried> {
  const { store, data, watch } = taking
  const catalogue = join(folder, names.catalogue)
  const hasStorage = await copyCatalogue(catalogue, taking)
  if (store !== undefined) await copyHub(store, join(folder, names.database))
  if (!hasStorage) return { count: 0, bytes: 0, missing: [] }
  const { onProgress } = watch
  return carryObjects({ catalogue, from: data, to: folder, carry: linkOrCopy, onProgress })
}

/** False where no storage has run here. */
async function copyCatalogue(to: string, { data, backUpCatalogue }: Taking): Promise<boolean> {
  if (backUpCatalogue === undefined) {
    const isThere = existsSync(catalogueFile(data))
    if (isThere) copyDatabase(catalogueFile(data), to)
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
