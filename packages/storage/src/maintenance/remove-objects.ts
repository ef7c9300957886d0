/** Removes objects that no row of any repository names: first their names, then their bytes. */

import type { UnixSeconds } from '@latchkey/protocol'
import { inBatches } from '../catalog/batches.ts'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import { hold } from '../catalog/locks.ts'
import { forgetObjects, unmapObjects, unmappedObjects } from '../catalog/object-names.ts'
import type { StorageTables } from '../catalog/schema.ts'
import type { Digest, ObjectKey, ObjectStore } from '../objects/object-store.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import type { Maintenance } from './maintenance.ts'

/** The dependencies of removing objects. */
export type Removing = Pick<Maintenance, 'objects' | 'read' | 'change' | 'clock' | 'letReadersEnd'>

/** How many of the rows that name an object are about to go. */
export type Leaving = ReadonlyMap<Digest, number>

export function leavingOf(rows: Iterable<{ readonly digest: Digest }>): Leaving {
  const leaving = new Map<Digest, number>()
  for (const { digest } of rows) leaving.set(digest, (leaving.get(digest) ?? 0) + 1)
  return leaving
}

/** Objects that no row names, or only rows that are about to be deleted. */
export async function unnamed(
  tables: StorageTables,
  digests: readonly Digest[],
  leaving: Leaving = new Map(),
): Promise<readonly Digest[]> {
  const found: Digest[] = []
  for (const some of inBatches(digests)) {
    const rows = await tables
      .selectFrom('stored_xorbs')
      .select(({ fn }) => ['digest', fn.countAll<number>().as('rows')])
      .where('digest', 'in', some)
      .groupBy('digest')
      .execute()
    const named = new Map(rows.map(({ digest, rows }) => [digest as Digest, rows]))
    const isFree = (digest: Digest) => (named.get(digest) ?? 0) <= (leaving.get(digest) ?? 0)
    found.push(...some.filter(isFree))
  }
  return found
}

/**
 * Gives the keys of those that no row names. An upload names its object in such a transaction too, so none can begin to
 * need it meanwhile: the next one that brings these bytes brings an object of its own.
 */
export async function unmapUnnamed(
  { change, clock }: Removing,
  digests: readonly Digest[],
): Promise<readonly ObjectKey[]> {
  const unmapped: ObjectKey[] = []
  for (const some of inBatches(digests)) {
    const keys = await change(async (tables) => {
      await hold(tables, { objects: { digests: some, mode: 'alone' } })
      return unmapObjects(tables, await unnamed(tables, some), clock())
    })
    unmapped.push(...keys)
  }
  return unmapped
}

interface Deleting extends Pick<CatalogDatabase, 'change'> {
  readonly objects: ObjectStore
}

/** Gives what was there. Cut off anywhere, the rest is deleted by the next collection or start of a storage. */
export async function deleteObjects(
  { change, objects }: Deleting,
  keys: readonly ObjectKey[],
): Promise<Amount> {
  let deleted = nothing
  for (const some of inBatches(keys)) {
    for (const key of some) {
      const bytes = await objects.sizeOf(key)
      await objects.remove(key)
      if (bytes !== undefined) deleted = plus(deleted, sumOf([bytes]))
    }
    await change((tables) => forgetObjects(tables, some))
  }
  return deleted
}

/**
 * Deletes objects that were unmapped at this time or earlier; `isStopped` ends it between two
 * groups.
 */
export async function deleteUnmapped(
  deleting: Deleting & Pick<CatalogDatabase, 'read'>,
  until: UnixSeconds,
  isStopped: () => boolean = () => false,
): Promise<Amount> {
  let deleted = nothing
  while (!isStopped()) {
    const keys = await deleting.read((tables) => unmappedObjects(tables, until))
    if (keys.length === 0) break
    deleted = plus(deleted, await deleteObjects(deleting, keys))
  }
  return deleted
}
