/** Removes objects that no row of any repository names: first their names, then their bytes. */

import { isRefusal, type UnixSeconds } from '@latchkey/protocol'
import { eachOf } from '@latchkey/service/limits/each-of'
import { inBatches } from '../catalog/batches.ts'
import type { ReservedObject } from '../catalog/catalog.ts'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import { hold } from '../catalog/locks.ts'
import { forgetObjects, unmapObjects } from '../catalog/object-names.ts'
import type { StorageTables } from '../catalog/schema.ts'
import type { Digest, ObjectKey, ObjectStore } from '../objects/object-store.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import { unmappedObjects } from './free-objects.ts'
import type { Maintenance } from './maintenance.ts'
import type { OnProgress } from './progress.ts'

/** The dependencies of removing objects. */
export type Removing = Pick<Maintenance, 'objects' | 'read' | 'change' | 'clock' | 'letReadersEnd'>

/** Objects that no row names, or only so many rows as `leaving` has of each. */
export async function unnamed(
  tables: StorageTables,
  digests: readonly Digest[],
  leaving: ReadonlyMap<Digest, number> = new Map(),
): Promise<readonly Digest[]> {
  const found: Digest[] = []
  for (const some of inBatches(digests)) {
    const rows = await tables
      .selectFrom('stored_xorbs')
      .select(({ fn }) => ['digest', fn.countAll<number>().as('rows')])
      .where('digest', 'in', some)
      .groupBy('digest')
      .execute()
    const named = new Map(rows.map(({ digest, rows }) => [digest as Digest, Number(rows)]))
    const isFree = (digest: Digest) => (named.get(digest) ?? 0) <= (leaving.get(digest) ?? 0)
    found.push(...some.filter(isFree))
  }
  return found
}

/**
 * Gives those that no row names. An upload names its object in such a transaction too, so none can begin to
 * need it meanwhile: the next one that brings these bytes brings an object of its own.
 */
export async function unmapUnnamed(
  { change, clock }: Removing,
  digests: readonly Digest[],
): Promise<readonly ReservedObject[]> {
  const unmapped: ReservedObject[] = []
  for (const some of inBatches(digests)) {
    const objects = await change(async (tables) => {
      await hold(tables, { objects: some })
      return unmapObjects(tables, await unnamed(tables, some), clock())
    })
    unmapped.push(...objects)
  }
  return unmapped
}

interface Deleting extends Pick<CatalogDatabase, 'change'> {
  readonly objects: ObjectStore
}

/** A store at a distance takes many requests at once as fast as one. */
export const requestsAtOnce = 16

/**
 * Gives what was on record. Cut off anywhere, the rest is deleted by the next collection or start of a storage; beside
 * another one, each counts what it has deleted first.
 */
export async function deleteObjects(
  { change, objects }: Deleting,
  keys: readonly ObjectKey[],
): Promise<Amount> {
  let deleted = nothing
  for (const some of inBatches(keys)) {
    await eachOf(some, requestsAtOnce, (key) => objects.remove(key))
    const forgotten = await change((tables) => forgetObjects(tables, some))
    if (!isRefusal(forgotten)) deleted = plus(deleted, sumOf(forgotten))
  }
  return deleted
}

interface Deletion {
  /** Ends it between two groups. */
  readonly isStopped?: () => boolean
  readonly onProgress?: OnProgress | undefined
}

/** Deletes objects that were unmapped at this time or earlier. */
export async function deleteUnmapped(
  deleting: Deleting & Pick<CatalogDatabase, 'read'>,
  until: UnixSeconds,
  { isStopped = () => false, onProgress }: Deletion = {},
): Promise<Amount> {
  let deleted = nothing
  while (!isStopped()) {
    const keys = await deleting.read((tables) => unmappedObjects(tables, until))
    if (keys.length === 0) break
    deleted = plus(deleted, await deleteObjects(deleting, keys))
    onProgress?.('objects deleted', deleted.count)
  }
  return deleted
}
