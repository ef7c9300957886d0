/** Objects that no row names, left over from removed content or from an upload that did not end: they go. */

import { digestsOf, refuseNames, unmappedObjects, unusedObjects } from '../catalog/object-names.ts'
import type { Digest, StoredObject } from '../objects/object-store.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import type { Collecting } from './collect-xorbs.ts'
import {
  deleteUnmapped,
  type Leaving,
  type Removing,
  unmapUnnamed,
  unnamed,
} from './remove-objects.ts'

const maxAtOnce = 1000

export interface CollectedObjects {
  readonly objects: Amount
  /** Objects that no row names either, and that stay because they are recent. */
  readonly young: Amount
}

/** `leaving` are the rows that a dry run has left where they are. */
export async function collectObjects(
  maintenance: Removing,
  collecting: Pick<Collecting, 'before' | 'isDryRun'>,
  leaving: Leaving,
): Promise<CollectedObjects> {
  const { before, isDryRun } = collecting
  let [objects, young] = [nothing, nothing]
  for await (const some of inGroups(maintenance.objects.list())) {
    const free = await freeAmong(maintenance, some, leaving)
    const isOld = ({ changedAt, digest }: FreeObject) => digest === null || changedAt < before
    const old = free.filter(isOld)
    if (isDryRun) objects = plus(objects, amountOf(old))
    else await unmap(maintenance, old)
    young = plus(young, amountOf(free.filter((object) => !isOld(object))))
  }
  if (isDryRun) return { objects, young }
  await unmapLost(maintenance)
  return { objects: await deleteAll(maintenance), young }
}

interface FreeObject extends StoredObject {
  /** Null when it is unmapped already, undefined when it never had a name. */
  readonly digest: Digest | null | undefined
}

async function freeAmong(
  { read }: Removing,
  some: readonly StoredObject[],
  leaving: Leaving,
): Promise<readonly FreeObject[]> {
  const digests = await read((tables) =>
    digestsOf(
      tables,
      some.map(({ key }) => key),
    ),
  )
  const mapped = [...digests.values()].filter((digest) => digest !== null)
  const free = new Set(await read((tables) => unnamed(tables, mapped, leaving)))
  return some
    .map((object) => ({ ...object, digest: digests.get(object.key) }))
    .filter(({ digest }) => typeof digest !== 'string' || free.has(digest))
}

/** Judged again in the transaction: an upload may have given the object a name, or a row, meanwhile. */
async function unmap(maintenance: Removing, old: readonly FreeObject[]): Promise<void> {
  await unmapUnnamed(
    maintenance,
    old.flatMap(({ digest }) => digest ?? []),
  )
  const strays = old.filter(({ digest }) => digest === undefined).map(({ key }) => key)
  if (strays.length === 0) return
  await maintenance.change((tables) => refuseNames(tables, strays, maintenance.clock()))
}

/** Objects that no row names and that are not there any more, so that no list has them. */
async function unmapLost(maintenance: Removing): Promise<void> {
  const unused = await maintenance.read(unusedObjects)
  const lost: Digest[] = []
  for (const [digest, key] of unused) {
    if ((await maintenance.objects.sizeOf(key)) === undefined) lost.push(digest)
  }
  await unmapUnnamed(maintenance, lost)
}

/** With what an earlier collection has left. */
async function deleteAll(maintenance: Removing): Promise<Amount> {
  const now = maintenance.clock()
  const [one] = await maintenance.read((tables) => unmappedObjects(tables, now))
  if (one === undefined) return nothing
  await maintenance.letReadersEnd()
  return deleteUnmapped(maintenance, now)
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
    if (some.length < maxAtOnce) continue
    yield some
    some = []
  }
  yield some
}
