/** Objects that no row names, left over from removed content or from an upload that did not end: they go. */

import type { StoredObject } from '../objects/port.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import type { Collecting } from './collect-xorbs.ts'
import { type Leaving, removeUnnamed, unnamed } from './remove-objects.ts'
import type { Upkeep } from './upkeep.ts'

const mostAtOnce = 1000

export interface CollectedObjects {
  readonly objects: Amount
  /** What no row names either, and stays because it came lately. */
  readonly young: Amount
}

/** `leaving` are the rows that a dry run has left where they are. */
export async function collectObjects(
  upkeep: Upkeep,
  collecting: Collecting,
  leaving: Leaving,
): Promise<CollectedObjects> {
  let [objects, young] = [nothing, nothing]
  for await (const some of inGroups(upkeep.objects.list())) {
    const free = await freeAmong(upkeep, some, leaving)
    const isOld = ({ changedAt }: StoredObject) => changedAt < collecting.before
    const old = free.filter(isOld)
    objects = plus(objects, amountOf(collecting.isDryRun ? old : await remove(upkeep, old)))
    young = plus(young, amountOf(free.filter((object) => !isOld(object))))
  }
  return { objects, young }
}

async function freeAmong(
  { read }: Upkeep,
  some: readonly StoredObject[],
  leaving: Leaving,
): Promise<readonly StoredObject[]> {
  const digests = some.map(({ digest }) => digest)
  const free = new Set(await read((tables) => unnamed(tables, digests, leaving)))
  return some.filter(({ digest }) => free.has(digest))
}

async function remove(
  upkeep: Upkeep,
  old: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  const digests = old.map(({ digest }) => digest)
  const gone = new Set(await removeUnnamed(upkeep, digests))
  return old.filter(({ digest }) => gone.has(digest))
}

function amountOf(objects: readonly StoredObject[]): Amount {
  return sumOf(objects.map(({ bytes }) => bytes))
}

async function* inGroups(
  objects: AsyncIterable<StoredObject>,
): AsyncGenerator<readonly StoredObject[]> {
  let some: StoredObject[] = []
  for await (const object of objects) {
    some.push(object)
    if (some.length < mostAtOnce) continue
    yield some
    some = []
  }
  yield some
}
