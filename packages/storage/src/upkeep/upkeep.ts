/** What upkeep works on: the storage's database, the objects beside it, and the hub, while others use all of them. */

import { relative } from 'node:path'
import { type Clock, isRefusal } from '@latchkey/protocol'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import type { StorageTables } from '../catalog/schema.ts'
import { objectsIn, openObjects } from '../objects/open-objects.ts'
import type { Digest, ObjectStore } from '../objects/port.ts'
import type { HubSide } from './hub-side.ts'

export interface Upkeep extends HubSide {
  readonly objects: ObjectStore
  readonly database: CatalogDatabase
  readonly clock: Clock
  /** Where an object lies below the data directory, and in a backup. */
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
  const objects = openObjects(objectsIn(data))
  return {
    ...{ database, link, names, clock },
    objects,
    placeOf: (digest) => relative(data, objects.addressOf(digest)),
    read: database.read,
    async change(work) {
      const done = await database.change(work)
      if (isRefusal(done)) throw new Error(done.detail)
      return done
    },
  }
}
