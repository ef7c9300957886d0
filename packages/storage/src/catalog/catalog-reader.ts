/** Looks content up in the storage's database. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { type RawBuilder, sql } from 'kysely'
import type { Digest, ObjectKey } from '../objects/object-store.ts'
import { yieldingBatches } from './batches.ts'
import type { CatalogReader, FoundXorb, OwnedFile, View } from './catalog.ts'
import type { ReadingDatabase } from './catalog-database.ts'
import {
  fileInView,
  isThere,
  maxCandidates,
  seenRefs,
  sha256sInView,
  xorbOfChunkInView,
  xorbsInView,
  xorbsOfRef,
} from './find-in-view.ts'
import { fileWithSha256InView, unhashedInView } from './find-sha256.ts'
import type { FileRow, FoundXorbRow, StorageTables } from './schema.ts'
import type { Sha256 } from './sha256.ts'
import { Terms } from './terms.ts'

export function catalogReader({ read }: Pick<ReadingDatabase, 'read'>): CatalogReader {
  const findMany = async (
    hashes: readonly Hash[],
    find: (tables: StorageTables, some: readonly Hash[]) => Promise<readonly FoundXorbRow[]>,
  ): Promise<ReadonlyMap<Hash, FoundXorb>> => {
    const found = new Map<Hash, FoundXorb>()
    for await (const some of yieldingBatches(hashes)) {
      for (const row of await read((tables) => find(tables, some))) {
        const xorb = xorbOf(row)
        if (!found.has(xorb.hash)) found.set(xorb.hash, xorb)
      }
    }
    return found
  }

  return {
    async findXorb(view, hash) {
      const [row] = await read((tables) => xorbsInView(tables, view, [hash]))
      return row && xorbOf(row)
    },
    findXorbs: (view, hashes) =>
      findMany(hashes, (tables, some) => xorbsInView(tables, view, some)),
    xorbsOf: ({ refUid }, hashes) =>
      findMany(hashes, (tables, some) => xorbsOfRef(tables, refUid, some)),
    async findFile(view, hash) {
      const row = await read((tables) => fileInView(tables, view, hash))
      return row && fileOf(row)
    },
    async findChunk(view, hash) {
      const row = await read((tables) => xorbOfChunkInView(tables, view, hash))
      return row && xorbOf(row)
    },
    async findFileFrom(view, firstChunk) {
      const row = await read((tables) => fileFromChunkInView(tables, view, firstChunk))
      return row && fileOf(row)
    },
    findSha256: (view, sha256, bytes) =>
      read((tables) => fileWithSha256InView(tables, view, { sha256, bytes })),
    async findSha256s(view, hashes) {
      const found = new Map<Hash, Sha256>()
      for await (const some of yieldingBatches(hashes)) {
        const rows = await read((tables) => sha256sInView(tables, view, some))
        for (const { hash, sha256 } of rows) found.set(hash as Hash, sha256 as Sha256)
      }
      return found
    },
    findUnhashed: (view, bytes, most) =>
      read((tables) => unhashedInView(tables, view, { bytes, most })),
  }
}

function xorbOf(row: FoundXorbRow): FoundXorb {
  return {
    refUid: row.ref_uid,
    hash: row.hash as Hash,
    digest: row.digest as Digest,
    key: row.key as ObjectKey,
    packedBytes: row.packed_bytes,
    unpackedBytes: row.unpacked_bytes,
    chunks: row.chunks,
  }
}

function fileOf({ ref_uid: refUid, hash, bytes, terms, ...row }: FileRow): OwnedFile {
  return {
    ...{ refUid, hash: hash as Hash, bytes, terms: new Terms(terms) },
    firstChunk: (row.first_chunk ?? undefined) as Hash | undefined,
    sha256: (row.sha256 ?? undefined) as Sha256 | undefined,
  }
}

/** The newest of the first ref that has one: one statement, whatever there is elsewhere. */
async function fileFromChunkInView(
  tables: StorageTables,
  view: View,
  firstChunk: Hash,
): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    SELECT * FROM stored_files WHERE position = (${newestInView(tables, view, firstChunk)})`.execute(
    tables,
  )
  return rows[0]
}

function newestInView(
  tables: StorageTables,
  { repositoryUid, refs }: View,
  firstChunk: Hash,
): RawBuilder<unknown> {
  if (refs === undefined) return newestOfRepository(repositoryUid, firstChunk)
  return sql`
    SELECT newest FROM (
      SELECT seen.place AS rank, (${newestOfSeen(repositoryUid, firstChunk)}) AS newest
      FROM ${seenRefs(tables, refs)}
      WHERE ${isThere(sql`seen.uid`)} AND ${isThere(sql`${repositoryUid}`)}) AS found
    WHERE newest IS NOT NULL ORDER BY rank LIMIT 1`
}

/**
 * Security boundary: one seek in the index, however many rows of the ref are newer than the token sees. A walk over them
 * would keep other tenants waiting, and its time would tell of hidden rows.
 */
function newestOfSeen(repositoryUid: RepositoryUid, firstChunk: Hash): RawBuilder<unknown> {
  return sql`
    SELECT position FROM stored_files
    WHERE ref_uid = seen.uid AND first_chunk = ${firstChunk}
      AND repository_uid = ${repositoryUid}
      AND stamp < coalesce(seen.before, ${Number.MAX_SAFE_INTEGER})
    ORDER BY stamp DESC, position DESC LIMIT 1`
}

/** Looks at no more than the newest few: a client that hears of no file sends its content, and loses nothing. */
function newestOfRepository(repositoryUid: RepositoryUid, firstChunk: Hash): RawBuilder<unknown> {
  return sql`
    SELECT max(position) FROM (
      SELECT position, ref_uid FROM stored_files
      WHERE repository_uid = ${repositoryUid} AND first_chunk = ${firstChunk}
      ORDER BY position DESC LIMIT ${maxCandidates}) AS c
    WHERE ${isThere(sql`c.ref_uid`)} AND ${isThere(sql`${repositoryUid}`)}`
}
