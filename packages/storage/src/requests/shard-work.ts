/** Checks drafts of shards, on a thread with a connection to the catalog of its own. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type { View } from '../catalog/catalog.ts'
import { openCatalogForReading } from '../catalog/catalog-database.ts'
import { catalogReader } from '../catalog/catalog-reader.ts'
import { objectsFolder } from '../objects/object-places.ts'
import { objectReader } from '../objects/object-reader.ts'
import type { Work } from '../threads/work.ts'
import { type CarriedRegistration, carry } from './carried-registration.ts'
import { checkShard, type Validating } from './check-shard.ts'

export interface ShardTask {
  /** The draft. */
  readonly file: string
  readonly view: View
}

export interface ShardData {
  /** The data directory of the storage. */
  readonly data: string
  readonly caps: ShardCaps
}

export type ShardWork = Work<ShardTask, Validating, CarriedRegistration | Refusal>

export function openWork({ data, caps }: ShardData): ShardWork {
  const catalog = catalogReader(openCatalogForReading(data))
  const objects = objectReader(objectsFolder(data))
  return async ({ file, view }, { signal, tell, giveAway }) => {
    const checking = checkShard({ catalog, objects, caps }, { view, signal }, file)
    for (;;) {
      const { done, value } = await checking.next()
      if (!done) tell(value)
      else if (isRefusal(value)) return value
      else {
        const carried = carry(value)
        giveAway(carried.terms.buffer)
        return carried
      }
    }
  }
}
