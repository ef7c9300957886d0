/** What upkeep works on: the hub's database and the objects beside it, while others use both. */

import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import type { Origin, Put, Store } from '@latchkey/hub/management'
import { isRefusal } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/random'
import { type StorageTables, withStorage } from '../catalog/schema.ts'
import { diskStore } from '../objects/disk-store.ts'
import { objectsFolder, placeOf } from '../objects/object-places.ts'
import type { Digest, ObjectStore } from '../objects/object-store.ts'

export interface Upkeep {
  readonly objects: ObjectStore
  /** Where an object lies, to be read from beginning to end. */
  fileOf(digest: Digest): string
  /** The same, below the data directory: where it lies in a backup, too. */
  placeOf(digest: Digest): string
  read<Result>(work: (tables: StorageTables) => Promise<Result>): Promise<Result>
  /** One transaction, in which no upload can change anything. */
  change<Result>(work: (change: UpkeepChange) => Promise<Result>): Promise<Result>
}

export interface UpkeepChange {
  readonly tables: StorageTables
  /** Changes the hub's own tables, with an entry in its journal. */
  readonly put: Put
}

/** The objects lie in the hub's data directory. */
export function openUpkeep(
  { directory, readBeside }: Store,
  data: string,
  origin: Origin = { verb: 'storage' },
): Upkeep {
  const fileOf = (digest: Digest) => {
    const { file, oldFile } = placeOf(objectsFolder(data), digest)
    return existsSync(oldFile) && !existsSync(file) ? oldFile : file
  }
  return {
    objects: diskStore(objectsFolder(data), pooledRandom()),
    fileOf,
    placeOf: (digest) => relative(data, fileOf(digest)),
    read: (work) => readBeside((tables) => work(withStorage(tables))),
    async change(work) {
      const done = await directory.note('stored content', ({ tables, putAs }) =>
        work({ tables: withStorage(tables), put: putAs(origin) }),
      )
      if (isRefusal(done)) throw new Error(done.detail)
      return done
    },
  }
}
