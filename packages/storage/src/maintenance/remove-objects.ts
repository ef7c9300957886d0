/** Removes objects that no row of any repository names: first their names, then their bytes. */

import { isRefusal, type Refusal, type UnixSeconds } from '@latchkey/protocol'
import { inBatches } from '../catalog/batches.ts'
import type { ReservedObject } from '../catalog/catalog.ts'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import { hold } from '../catalog/locks.ts'
import { forgetObjects, unmapObjects } from '../catalog/object-names.ts'
import type { StorageTables } from '../catalog/schema.ts'
import type { StoreIdentity } from '../identity/store-identity.ts'
import type { Digest, ObjectKey, ObjectStore } from '../objects/object-store.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import { mayGoOn } from './begin-deletion.ts'
import { unmappedObjects } from './free-objects.ts'
import type { Maintenance } from './maintenance.ts'
import type { OnProgress } from './progress.ts'

/** The dependencies of removing objects. */
export interface Removing
  extends Pick<Maintenance, 'objects' | 'read' | 'change' | 'clock' | 'letReadersEnd'> {
  readonly identity: Pick<StoreIdentity, 'check'>
}

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

interface Deleting extends Pick<CatalogDatabase, 'change'>, Pick<Removing, 'identity'> {
  readonly objects: Pick<ObjectStore, 'removeMany'>
}

/**
 * Gives what was on record. Cut off anywhere, the rest is deleted by the next collection or start of a storage; beside
 * another one, each counts what it has deleted first. Refused as soon as the store is not that of the catalogue any more.
 */
export async function deleteObjects(
  { change, objects, identity }: Deleting,
  keys: readonly ObjectKey[],
): Promise<Amount | Refusal> {
  let deleted = nothing
  for (const some of inBatches(keys, maxRemoved)) {
    const refused = await mayGoOn(identity)
    if (refused !== undefined) return refused
    await objects.removeMany(some)
    const forgotten = await change((tables) => forgetObjects(tables, some))
    if (!isRefusal(forgotten)) deleted = plus(deleted, sumOf(forgotten))
  }
  return deleted
}

/** One request removes their bytes and their tables. */
const maxRemoved = 500

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
): Promise<Amount | Refusal> {
  let deleted = nothing
  while (!isStopped()) {
    const keys = await deleting.read((tables) => unmappedObjects(tables, until))
    if (keys.length === 0) break
    const gone = await deleteObjects(deleting, keys)
    if (isRefusal(gone)) return gone
    deleted = plus(deleted, gone)
    onProgress?.('objects deleted', deleted.count)
  }
  return deleted
}
