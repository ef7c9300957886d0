/** Checks drafts of shards, on a thread with a connection to the catalog of its own. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type { View } from '../catalog/catalog.ts'
import { catalogReader } from '../catalog/catalog-reader.ts'
import { type CatalogPlace, openReader } from '../catalog-place/open-catalog.ts'
import type { DraftId, ObjectsPlace } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import { isBeyondACap } from '../request/refusals.ts'
import type { Work } from '../threads/work.ts'
import { type CarriedRegistration, carry } from './carried-registration.ts'
import { checkShard, type Validating } from './check-shard.ts'

/** A small shard goes through beside large ones; how large a shard is shows while it is checked. */
export type ShardSize = 'small' | 'large'

export interface ShardTask {
  readonly size: ShardSize
  readonly draft: DraftId
  readonly view: View
}

export interface ShardData extends CatalogPlace {
  readonly objects: ObjectsPlace
  readonly caps: ShardCaps
}

/** Too large for a small one: nothing is known of it yet. */
export const isLarge = 'large'

export type ShardOutcome = CarriedRegistration | Refusal | typeof isLarge

/** About a third of a second of processor time: 64 xorbs of the usual chunks are 4 GB. */
const fewCaps: ShardCaps = { files: 256, xorbs: 64, terms: 2048, chunks: 65_536 }

export async function openWork({
  caps,
  objects: objectsPlace,
  ...place
}: ShardData): Promise<Work<ShardTask, Validating, ShardOutcome>> {
  const catalog = catalogReader(openReader(place))
  const objects = await openObjects(objectsPlace)
  const checking = { catalog, objects, maxTerms: caps.terms }
  const capsOf = { small: lower(caps, fewCaps), large: caps }
  return async ({ size, draft, view }, { signal, tell, giveAway }) => {
    const steps = checkShard({ ...checking, caps: capsOf[size] }, { view, signal }, draft)
    for (;;) {
      const { done, value } = await steps.next()
      if (!done) {
        if (size === 'small' || isNew(value)) tell(value)
      } else if (size === 'small' && isBeyondACap(value)) return isLarge
      else if (isRefusal(value)) return value
      else {
        const carried = carry(value)
        giveAway(carried.terms.buffer)
        return carried
      }
    }
  }
}

/** While it was taken for a small one, its client was told of the first parts. */
function isNew({ verified, total }: Validating): boolean {
  return verified === total || verified > fewCaps.files + fewCaps.xorbs
}

function lower(one: ShardCaps, other: ShardCaps): ShardCaps {
  return {
    files: Math.min(one.files, other.files),
    xorbs: Math.min(one.xorbs, other.xorbs),
    terms: Math.min(one.terms, other.terms),
    chunks: Math.min(one.chunks, other.chunks),
  }
}
