/**
 * Which object has the bytes of a digest. An object is unmapped in the transaction that frees it, and stays readable for
 * who has its key until its bytes are deleted; its key is on record until then, and maps to nothing.
 */

import type { UnixSeconds } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { Digest, ObjectKey } from '../objects/object-store.ts'
import { inBatches } from './batches.ts'
import type { NewObject } from './catalog.ts'
import type { StorageTables } from './schema.ts'

/**
 * The object that a digest has already keeps it, and the other one stays without a name: bytes that are known take the
 * same statement as new ones, and write as much. Fails for an object that is being collected; one whose bytes are deleted
 * is not on record any more, so an upload looks for its object once more before it is acknowledged.
 */
export async function nameObject(
  tables: StorageTables,
  digest: Digest,
  { key, lost, now }: NewObject & { readonly now: UnixSeconds },
): Promise<void> {
  const mapped = await mapDigest(tables, digest, key)
  if (mapped === key || mapped !== lost) return
  await unmapObjects(tables, [digest], now)
  await mapDigest(tables, digest, key)
}

/** Gives the key of the object that the digest has then. */
async function mapDigest(tables: StorageTables, digest: Digest, key: ObjectKey): Promise<string> {
  const mapped = await tables
    .insertInto('stored_objects')
    .values({ key, digest })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ digest }))
    .returning('key')
    .executeTakeFirstOrThrow()
  return mapped.key
}

export async function objectOf(
  tables: StorageTables,
  digest: Digest,
): Promise<ObjectKey | undefined> {
  return (await objectsOf(tables, [digest])).get(digest)
}

export async function objectsOf(
  tables: StorageTables,
  digests: readonly Digest[],
): Promise<ReadonlyMap<Digest, ObjectKey>> {
  const rows = await tables
    .selectFrom('stored_objects')
    .select(['key', 'digest'])
    .where('digest', 'in', digests)
    .execute()
  return new Map(rows.map(({ key, digest }) => [digest as Digest, key as ObjectKey]))
}

/** By their keys; null for those that are unmapped. Others are not on record. */
export async function digestsOf(
  tables: StorageTables,
  keys: readonly ObjectKey[],
): Promise<ReadonlyMap<ObjectKey, Digest | null>> {
  const digests = new Map<ObjectKey, Digest | null>()
  for (const some of inBatches(keys)) {
    const rows = await tables
      .selectFrom('stored_objects')
      .select(['key', 'digest'])
      .where('key', 'in', some)
      .execute()
    for (const { key, digest } of rows) digests.set(key as ObjectKey, digest as Digest | null)
  }
  return digests
}

/** Objects of digests that no row names. */
export async function unusedObjects(
  tables: StorageTables,
): Promise<readonly (readonly [Digest, ObjectKey])[]> {
  const { rows } = await sql<{ digest: Digest; key: ObjectKey }>`
    SELECT digest, key FROM stored_objects AS o WHERE digest IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM stored_xorbs AS x WHERE x.digest = o.digest)`.execute(tables)
  return rows.map(({ digest, key }) => [digest, key])
}

/** Gives the keys of the objects that these digests had. */
export async function unmapObjects(
  tables: StorageTables,
  digests: readonly Digest[],
  now: UnixSeconds,
): Promise<readonly ObjectKey[]> {
  if (digests.length === 0) return []
  const rows = await tables
    .updateTable('stored_objects')
    .set({ digest: null, unmapped_at: now })
    .where('digest', 'in', digests)
    .returning('key')
    .execute()
  return rows.map(({ key }) => key as ObjectKey)
}

/** Objects that never had a name, so that none can get one any more; those that got one meanwhile keep it. */
export async function refuseNames(
  tables: StorageTables,
  keys: readonly ObjectKey[],
  now: UnixSeconds,
): Promise<void> {
  for (const some of inBatches(keys)) {
    await tables
      .insertInto('stored_objects')
      .values(some.map((key) => ({ key, digest: null, unmapped_at: now })))
      .onConflict((existing) => existing.column('key').doNothing())
      .execute()
  }
}

const maxAtOnce = 250

/** Some objects that were unmapped at this moment or earlier, and whose bytes are not deleted yet. */
export async function unmappedObjects(
  tables: StorageTables,
  until: UnixSeconds,
): Promise<readonly ObjectKey[]> {
  const rows = await tables
    .selectFrom('stored_objects')
    .select('key')
    .where('unmapped_at', '<=', until)
    .limit(maxAtOnce)
    .execute()
  return rows.map(({ key }) => key as ObjectKey)
}

/** Once their bytes are deleted. */
export async function forgetObjects(
  tables: StorageTables,
  keys: readonly ObjectKey[],
): Promise<void> {
  for (const some of inBatches(keys)) {
    await tables
      .deleteFrom('stored_objects')
      .where('key', 'in', some)
      .where('unmapped_at', 'is not', null)
      .execute()
  }
}
