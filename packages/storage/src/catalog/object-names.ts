/**
 * Objects by their keys. A key is reserved before its bytes are written, so that an upload that was cut off is found by its row.
 * It is mapped in the transaction that gives the bytes to a ref, and unmapped in the one that frees them: its object stays
 * readable for who has the key until the bytes are deleted, and then the row goes.
 */

import type { UnixSeconds } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { Digest, ObjectKey } from '../objects/object-store.ts'
import { inBatches } from './batches.ts'
import type { NewObject, ReservedObject } from './catalog.ts'
import type { StorageTables } from './schema.ts'

/** Before its bytes are written. */
export async function reserveObjects(
  tables: StorageTables,
  objects: readonly ReservedObject[],
  now: UnixSeconds,
): Promise<void> {
  for (const some of inBatches(objects)) {
    await tables
      .insertInto('stored_objects')
      .values(some.map(({ key, bytes }) => ({ key, bytes, digest: null, reserved_at: now })))
      .execute()
  }
}

/**
 * The object that a digest has already keeps it, and the other one is unmapped: bytes that are known take the same statement
 * as new ones, and write as much. False for an object that is not reserved any more: collection took the upload for one that
 * was cut off. Nobody else names an object of the digest meanwhile.
 */
export async function nameObject(
  tables: StorageTables,
  digest: Digest,
  { key, lost, now }: NewObject & { readonly now: UnixSeconds },
): Promise<boolean> {
  if (lost !== undefined) await unmapLost(tables, digest, { lost, now })
  const isKnown = sql`EXISTS (SELECT 1 FROM stored_objects AS known WHERE known.digest = ${digest})`
  const { numAffectedRows = 0n } = await sql`
    UPDATE stored_objects SET
      digest = CASE WHEN ${isKnown} THEN NULL ELSE CAST(${digest} AS text) END,
      unmapped_at = CASE WHEN ${isKnown} THEN CAST(${now} AS bigint) END
    WHERE key = ${key} AND digest IS NULL AND unmapped_at IS NULL`.execute(tables)
  return numAffectedRows > 0n
}

async function unmapLost(
  tables: StorageTables,
  digest: Digest,
  { lost, now }: { readonly lost: ObjectKey; readonly now: UnixSeconds },
): Promise<void> {
  await tables
    .updateTable('stored_objects')
    .set({ digest: null, unmapped_at: now })
    .where('key', '=', lost)
    .where('digest', '=', digest)
    .execute()
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

export async function sizesOf(
  tables: StorageTables,
  digests: readonly Digest[],
): Promise<readonly number[]> {
  const sizes: number[] = []
  for (const some of inBatches(digests)) {
    const rows = await tables
      .selectFrom('stored_objects')
      .select('bytes')
      .where('digest', 'in', some)
      .execute()
    sizes.push(...rows.map(({ bytes }) => bytes))
  }
  return sizes
}

/** By their keys; null for those that have none. Others are not on record. */
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

/** Gives the objects that these digests had. */
export async function unmapObjects(
  tables: StorageTables,
  digests: readonly Digest[],
  now: UnixSeconds,
): Promise<readonly ReservedObject[]> {
  if (digests.length === 0) return []
  const rows = await tables
    .updateTable('stored_objects')
    .set({ digest: null, unmapped_at: now })
    .where('digest', 'in', digests)
    .returning(['key', 'bytes'])
    .execute()
  return rows.map(({ key, bytes }) => ({ key: key as ObjectKey, bytes }))
}

/** Once their bytes are deleted; those that have a name keep their rows. Gives how large the others were. */
export async function forgetObjects(
  tables: StorageTables,
  keys: readonly ObjectKey[],
): Promise<readonly number[]> {
  const forgotten: number[] = []
  for (const some of inBatches(keys)) {
    const rows = await tables
      .deleteFrom('stored_objects')
      .where('key', 'in', some)
      .where('digest', 'is', null)
      .returning('bytes')
      .execute()
    forgotten.push(...rows.map(({ bytes }) => bytes))
  }
  return forgotten
}
