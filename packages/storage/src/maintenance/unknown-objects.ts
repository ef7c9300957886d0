/** Objects in the store that no row of the catalogue knows: a row comes before the bytes and goes after them. */

import type { Refusal } from '@latchkey/protocol'
import { digestsOf } from '../catalog/object-names.ts'
import type { StoredObject } from '../objects/object-store.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import { mayGoOn } from './begin-deletion.ts'
import type { CollectingObjects } from './collect-objects.ts'
import type { Removing } from './remove-objects.ts'

const maxAtOnce = 500

/** Lists the whole store. Those that came lately stay. */
export async function collectUnknown(
  { objects, read, identity }: Removing,
  { before, isDryRun, onProgress }: Omit<CollectingObjects, 'keepSeconds'>,
): Promise<Amount | Refusal> {
  let [found, listed] = [nothing, 0]
  for await (const some of inGroups(objects.list())) {
    const keys = some.map(({ key }) => key)
    const digests = await read((tables) => digestsOf(tables, keys))
    const old = some.filter(({ key, changedAt }) => !digests.has(key) && changedAt < before)
    if (!isDryRun && old.length > 0) {
      const refused = await mayGoOn(identity)
      if (refused !== undefined) return refused
      await objects.removeMany(old.map(({ key }) => key))
    }
    found = plus(found, sumOf(old.map(({ bytes }) => bytes)))
    listed += some.length
    onProgress?.('objects listed', listed)
  }
  return found
}

async function* inGroups(
  objects: AsyncIterable<StoredObject>,
): AsyncGenerator<readonly StoredObject[]> {
  let some: StoredObject[] = []
  for await (const object of objects) {
    some.push(object)
    if (some.length < maxAtOnce) continue
    yield some
    some = []
  }
  yield some
}
