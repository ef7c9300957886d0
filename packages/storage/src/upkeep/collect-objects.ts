/** Objects that no row names, left over from removed content or from an upload that did not end: they go. */

import type { StoredObject } from '../objects/object-store.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import type { Collecting } from './collect-xorbs.ts'
import { type Leaving, removeUnnamed, unnamed } from './remove-objects.ts'
import type { Upkeep } from './upkeep.ts'

const mostAtOnce = 1000

/** `leaving` are the rows that a dry run has left where they are. */
export async function collectObjects(
  upkeep: Upkeep,
  collecting: Collecting,
  leaving: Leaving,
): Promise<Amount> {
  let gone = nothing
  for await (const some of oldObjects(upkeep, collecting)) {
    const digests = some.map(({ digest }) => digest)
    const free = await upkeep.read((tables) => unnamed(tables, digests, leaving))
    const removed = new Set(collecting.isDryRun ? free : await removeUnnamed(upkeep, free))
    const sizes = some.filter(({ digest }) => removed.has(digest)).map(({ bytes }) => bytes)
    gone = plus(gone, sumOf(sizes))
  }
  return gone
}

async function* oldObjects(
  { objects }: Upkeep,
  { before }: Collecting,
): AsyncGenerator<readonly StoredObject[]> {
  let some: StoredObject[] = []
  for await (const object of objects.list()) {
    if (object.changedAt < before) some.push(object)
    if (some.length < mostAtOnce) continue
    yield some
    some = []
  }
  yield some
}
