/** Takes a backup while hub and storage run: the catalogue, then the hub's database, then objects and repositories. */

import { backUpRepositories, type CarriedRepositories } from '@latchkey/forge/backup'
import { backUpHub, hubIn, repositoryUidsIn } from '@latchkey/hub/backup'
import type { Store } from '@latchkey/hub/management'
import type { Secret } from '@latchkey/protocol'
import { syncPath } from '@latchkey/service/machine/files'
import {
  backUpCatalogue,
  backUpObjects,
  type CarriedContent,
  catalogueIn,
} from '@latchkey/storage/backup'
import { type Contents, type Manifest, writeManifest } from './manifest.ts'

export interface BackupWatch {
  onProgress(count: number, bytes: number): void
  /** Objects or repositories went while the backup ran, so the databases are copied once more. */
  onRepeat(objects: number, repositories: number): void
}

interface Taking {
  /** Undefined where a storage runs without its hub. */
  readonly store: Pick<Store, 'backup'> | undefined
  /** The data directory. */
  readonly data: string
  /** The PostgreSQL of the catalogue; undefined where it is a file of the data directory. */
  readonly catalogue?: Secret<'database-url'> | undefined
  /** `s3://bucket/prefix` where the objects are; null where they are in the data directory. */
  readonly bucket: string | null
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
  const { takenAt, latchkey, bucket, watch } = taking
  let lacking: readonly string[] = []
  for (;;) {
    const { objects: carried, repositories } = await takeOnce(folder, taking)
    const { count, bytes, missing } = carried
    const isLost = missing.length > 0 && missing.every((digest) => lacking.includes(digest))
    const { gone } = repositories
    if (gone.length === 0 && (missing.length === 0 || isLost)) {
      const contents = await contentsOf(folder)
      syncPath(folder)
      const all = { takenAt, latchkey, ...contents, bucket, objects: { count, bytes } }
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
  readonly objects: CarriedContent
  readonly repositories: CarriedRepositories
}

const nothing = { count: 0, bytes: 0 }

/** The hub's database comes second, so that its journal has every number which the catalogue has heard of. */
async function takeOnce(folder: string, taking: Taking): Promise<TakenOnce> {
  const { store, data, catalogue: database, watch } = taking
  const hasStorage = await backUpCatalogue({ data, database }, folder)
  if (store !== undefined) await backUpHub(store, folder)
  const repositories =
    store === undefined
      ? { ...nothing, gone: [] }
      : await backUpRepositories(data, folder, await repositoryUidsIn(folder))
  const hasObjects = hasStorage && taking.bucket === null
  const objects = hasObjects
    ? await backUpObjects(data, folder, watch.onProgress)
    : { ...nothing, missing: [] }
  return { objects, repositories }
}

async function contentsOf(folder: string): Promise<Contents> {
  const hub = await hubIn(folder)
  const catalogue = catalogueIn(folder)
  if (hub !== undefined) return { ...hub, catalogue: catalogue ?? null }
  if (catalogue !== undefined) return { database: null, journal: null, catalogue }
  throw new Error('there is neither a hub nor a storage in this backup')
}
