/** What upkeep works on: the storage's database, the objects beside it, and the hub, while others use all of them. */

import { relative } from 'node:path'
import { type Clock, isRefusal } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import type { StorageTables } from '../catalog/schema.ts'
import { diskStore } from '../objects/disk-store.ts'
import { objectsFolder, placeOf } from '../objects/object-places.ts'
import type { Digest, ObjectStore } from '../objects/object-store.ts'
import type { HubSide } from './hub-side.ts'

export interface Upkeep extends HubSide {
  readonly objects: ObjectStore
  readonly database: CatalogDatabase
  readonly clock: Clock
  /** Where an object lies, to be read from beginning to end. */
  fileOf(digest: Digest): string
  /** The same, below the data directory: where it lies in a backup, too. */
  placeOf(digest: Digest): string
  read<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>
  /** One transaction; what it must keep uploads away from, it holds. */
  change<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>
}

export interface UpkeepOptions extends HubSide, Pick<Upkeep, 'database' | 'clock'> {
  /** The storage's data directory: the objects lie in it. */
  readonly data: string
}

export function openUpkeep({ data, database, link, names, clock }: UpkeepOptions): Upkeep {
  const fileOf = (digest: Digest) => placeOf(objectsFolder(data), digest).file
  return {
    ...{ database, link, names, clock },
    objects: diskStore(objectsFolder(data), pooledRandom()),
    fileOf,
    placeOf: (digest) => relative(data, fileOf(digest)),
    read: database.read,
    async change(work) {
      const done = await database.change(work)
      if (isRefusal(done)) throw new Error(done.detail)
      return done
    },
  }
}
