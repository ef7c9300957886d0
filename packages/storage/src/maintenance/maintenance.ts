/**
 * Opens the parts that maintenance works on, while others use them: the storage's database, the
 * objects next to it, and the hub.
 */

import { relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, isRefusal } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { type CatalogDatabase, hasCatalog } from '../catalog/catalog-database.ts'
import type { StorageTables } from '../catalog/schema.ts'
import { type StoreIdentity, storeIdentity } from '../identity/store-identity.ts'
import type { ObjectKey, ObjectStore, ObjectsPlace } from '../objects/object-store.ts'
import { hasObjects, objectsOf, openObjects } from '../objects/open-objects.ts'
import type { HubSide } from './hub-side.ts'

export interface Maintenance extends HubSide {
  readonly objects: ObjectStore
  readonly database: CatalogDatabase
  readonly clock: Clock
  readonly identity: StoreIdentity
  /** Where an object lies below the data directory, and in a backup; its address in a bucket. */
  placeOf(key: ObjectKey): string
  /**
   * Waits until readers that have looked up an object have opened it: its bytes may then be
   * deleted.
   */
  letReadersEnd(): Promise<unknown>
  read<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>
  /** One transaction; what it must keep uploads away from, it holds. */
  change<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>
}

interface ContentPlace {
  readonly isCatalogInFile: boolean
  readonly isInBucket: boolean
}

/**
 * Whether a storage has run on a data directory. Where the catalogue is in PostgreSQL, only the objects lie there; where
 * they are in a bucket, nothing does, and the catalogue itself tells.
 */
export function hasContent(data: string, { isCatalogInFile, isInBucket }: ContentPlace): boolean {
  return isCatalogInFile ? hasCatalog(data) : isInBucket || hasObjects(data)
}

export interface MaintenanceOptions
  extends HubSide,
    Pick<Maintenance, 'database' | 'clock'>,
    Partial<Pick<Maintenance, 'letReadersEnd'>> {
  /** The storage's data directory. */
  readonly data: string
  /** Where the objects are. Left out: in the data directory. */
  readonly objects?: ObjectsPlace | undefined
}

const readersEndMs = 1000

export async function openMaintenance({
  data,
  objects: place,
  letReadersEnd = () => delay(readersEndMs),
  ...parts
}: MaintenanceOptions): Promise<Maintenance> {
  const { database, clock } = parts
  const objects = await openObjects(objectsOf({ data, objects: place }))
  return {
    ...parts,
    objects,
    identity: storeIdentity({ objects, database, clock, randomBytes: pooledRandom() }),
    letReadersEnd,
    placeOf: (key) =>
      place?.kind === 's3' ? objects.addressOf(key) : relative(data, objects.addressOf(key)),
    read: database.read,
    async change(work) {
      const done = await database.change(work)
      if (isRefusal(done)) throw new Error(done.detail)
      return done
    },
  }
}
