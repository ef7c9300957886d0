/** Gives content to a ref; what the ref has already stays as it is. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { sql } from 'kysely'
import { yieldingBatches } from './batches.ts'
import type { IndexedChunk, OwnedXorb, StoredFile, Xorb } from './catalog.ts'
import { columnList, texts } from './dialect.ts'
import type { StorageTables } from './schema.ts'
import type { Writing } from './write-in-place.ts'

/** Gives how many are new, as the others do. */
export async function addXorbRow(writing: Writing, xorb: Xorb): Promise<number> {
  const { tables, refUid, repositoryUid, writtenAt, stamp } = writing
  const { numInsertedOrUpdatedRows } = await tables
    .insertInto('stored_xorbs')
    .values({
      ref_uid: refUid,
      hash: xorb.hash,
      repository_uid: repositoryUid,
      digest: xorb.digest,
      packed_bytes: xorb.packedBytes,
      unpacked_bytes: xorb.unpackedBytes,
      chunks: xorb.chunks,
      written_at: writtenAt,
      stamp,
    })
    .onConflict((existing) => existing.doNothing())
    .executeTakeFirstOrThrow()
  return Number(numInsertedOrUpdatedRows)
}

/** All in one statement: at one each, a large shard keeps every other writer waiting for a minute. */
export async function addFileRows(
  { tables, refUid, repositoryUid, writtenAt, stamp }: Writing,
  files: readonly StoredFile[],
): Promise<number> {
  const { numInsertedOrUpdatedRows } = await tables
    .insertInto('stored_files')
    .values(
      files.map(({ hash, bytes, terms, firstChunk, sha256 }) => ({
        ref_uid: refUid,
        hash,
        repository_uid: repositoryUid,
        bytes,
        terms: terms.packed,
        first_chunk: firstChunk ?? null,
        sha256: sha256 ?? null,
        written_at: writtenAt,
        stamp,
      })),
    )
    .onConflict((existing) => existing.doNothing())
    .executeTakeFirstOrThrow()
  return Number(numInsertedOrUpdatedRows)
}

export async function addChunkRows(
  { tables, refUid, repositoryUid, writtenAt, stamp }: Writing,
  chunks: readonly IndexedChunk[],
): Promise<void> {
  for await (const some of yieldingBatches(chunks)) {
    const added = columnList(tables, 'added', {
      hash: texts(some.map(({ hash }) => hash)),
      xorb: texts(some.map(({ xorb }) => xorb)),
    })
    await sql`
      INSERT INTO stored_chunks (ref_uid, hash, repository_uid, xorb_hash, written_at, stamp)
      SELECT ${refUid}, added.hash, ${repositoryUid}, added.xorb, ${writtenAt}, ${stamp}
      FROM ${added} WHERE true
      ON CONFLICT DO NOTHING`.execute(tables)
  }
}

/** From the refs where they were found; gives how many are new here. */
export async function copyXorbRows(
  { tables, refUid, repositoryUid, writtenAt, stamp }: Writing,
  found: readonly OwnedXorb[],
): Promise<number> {
  let copied = 0
  for await (const some of yieldingBatches(found)) {
    const { numAffectedRows = 0n } = await sql`
      INSERT INTO stored_xorbs (ref_uid, hash, repository_uid,
        digest, packed_bytes, unpacked_bytes, chunks, written_at, stamp)
      SELECT ${refUid}, x.hash, x.repository_uid,
        x.digest, x.packed_bytes, x.unpacked_bytes, x.chunks, ${writtenAt}, ${stamp}
      ${stillThere(tables, repositoryUid, some)}
      ON CONFLICT DO NOTHING`.execute(tables)
    copied += Number(numAffectedRows)
  }
  return copied
}

/** The first that is not there any more as it was found. */
export async function firstGone(
  { tables, repositoryUid }: Pick<Writing, 'tables' | 'repositoryUid'>,
  found: readonly OwnedXorb[],
): Promise<Hash | undefined> {
  for await (const some of yieldingBatches(found)) {
    const { rows } = await sql<{ hash: string }>`
      SELECT x.hash ${stillThere(tables, repositoryUid, some)}`.execute(tables)
    const there = new Set(rows.map(({ hash }) => hash))
    const gone = some.find(({ hash }) => !there.has(hash))
    if (gone !== undefined) return gone.hash
  }
  return undefined
}

/** Joined crosswise, so that SQLite looks each up by its key. */
function stillThere(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
  found: readonly OwnedXorb[],
) {
  const asFound = columnList(tables, 'found', {
    ref_uid: texts(found.map(({ refUid }) => refUid)),
    hash: texts(found.map(({ hash }) => hash)),
    digest: texts(found.map(({ digest }) => digest)),
  })
  return sql`
    FROM ${asFound} CROSS JOIN stored_xorbs AS x
    WHERE x.ref_uid = found.ref_uid AND x.hash = found.hash
      AND x.digest = found.digest AND x.repository_uid = ${repositoryUid}`
}
