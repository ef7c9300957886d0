/** A catalogue whose objects are in use, unused in different ways, or of uploads that were cut off: a fifth of each kind. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openCatalog } from '@latchkey/storage/maintenance'
import type { ObjectKey } from '../../packages/storage/src/objects/object-store.ts'

export interface FilledCatalogue {
  readonly data: string
  remove(): void
}

export const now = 1_900_000_000

const longAgo = now - 30 * 24 * 3600
export const objectBytes = 1000

export function keyAt(index: number): ObjectKey {
  return index.toString(16).padStart(32, '0') as ObjectKey
}

/** Where the object of a key stands among all. */
export function indexOf(key: ObjectKey): number {
  return Number.parseInt(key.slice(20), 16)
}

/** Of five objects two are part of a file; one has a xorb alone, one nothing, and one was reserved. */
export async function fillCatalogue(count: number): Promise<FilledCatalogue> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-bench-collection-'))
  await openCatalog(data).close()
  const database = new DatabaseSync(join(data, 'storage.db'))
  database.exec(`
    PRAGMA synchronous = OFF;
    BEGIN;
    CREATE TEMP TABLE numbers AS
      WITH RECURSIVE some (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM some WHERE n < ${count} - 1) SELECT n FROM some;
    INSERT INTO stored_objects (key, digest, bytes, reserved_at)
      SELECT printf('%032x', n), CASE WHEN n % 5 < 4 THEN printf('%064x', n * 7919 % 1000003) END, ${objectBytes}, ${longAgo}
      FROM numbers;
    INSERT INTO stored_xorbs (ref_uid, hash, repository_uid, digest, packed_bytes, unpacked_bytes, chunks, written_at, stamp)
      SELECT 'ref', printf('%064x', n), 'repository', printf('%064x', n * 7919 % 1000003), ${objectBytes}, ${objectBytes}, 1, ${longAgo}, 1
      FROM numbers WHERE n % 5 < 3;
    COMMIT`)
  const add = database.prepare(
    "INSERT INTO stored_files (ref_uid, hash, repository_uid, bytes, terms, written_at, stamp) VALUES ('ref', ?, 'repository', 1, ?, 1, 1)",
  )
  database.exec('BEGIN')
  for (let first = 0; first < count; first += 1000) {
    const used: number[] = []
    for (let n = first; n < Math.min(first + 1000, count); n += 1) if (n % 5 < 2) used.push(n)
    add.run(first.toString(16).padStart(64, '0'), termsOf(used))
  }
  database.exec('COMMIT')
  database.close()
  return { data, remove: () => rmSync(data, { recursive: true }) }
}

/** In the form of `catalog/terms.ts`, a chunk of each xorb. */
function termsOf(xorbs: readonly number[]): Buffer {
  const packed = Buffer.alloc(xorbs.length * 44)
  for (const [at, n] of xorbs.entries()) {
    hashBytes(n).copy(packed, at * 44)
    packed.writeUInt32LE(1, at * 44 + 36)
    packed.writeUInt32LE(objectBytes, at * 44 + 40)
  }
  return packed
}

/** A hash is written as four little-endian words. */
function hashBytes(n: number): Buffer {
  const bytes = Buffer.from(n.toString(16).padStart(64, '0'), 'hex')
  for (let at = 0; at < 32; at += 8) bytes.subarray(at, at + 8).reverse()
  return bytes
}
