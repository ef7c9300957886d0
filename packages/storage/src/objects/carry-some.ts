/** Brings objects from one store into another, some at a time. */

import { type Carriage, type CarriedObjects, NoSuchObject, type ObjectKey } from './object-store.ts'

/** Each waits for a store most of its time. */
const atOnce = 16

/** `carryOne` gives the bytes that an object takes at its new place. Objects that are not there are told: collection runs beside this. */
export async function carrySome<Item extends { readonly key: ObjectKey }>(
  items: Iterable<Item>,
  carryOne: (key: ObjectKey) => Promise<number>,
  { onProgress }: Pick<Carriage, 'onProgress'>,
): Promise<CarriedObjects<Item>> {
  const missing: Item[] = []
  let [count, bytes] = [0, 0]
  // One that fails ends the iteration for the others, too.
  const rest = Iterator.from(items)
  const carryRest = async () => {
    for (const item of rest) {
      const carried = await unlessMissing(carryOne(item.key))
      if (carried === undefined) {
        missing.push(item)
        continue
      }
      count += 1
      bytes += carried
      onProgress(count, bytes)
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, carryRest))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return { count, bytes, missing }
}

async function unlessMissing(carrying: Promise<number>): Promise<number | undefined> {
  try {
    return await carrying
  } catch (error) {
    if (error instanceof NoSuchObject) return undefined
    throw error
  }
}
