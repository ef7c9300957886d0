/** Looks things up by their hash in what a token may see. */

import type { RefUid, RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { type RawBuilder, sql } from 'kysely'
import type { SeenRefView, View } from './catalog.ts'
import { columnList, numbers, texts } from './dialect.ts'
import type { FileRow, FoundXorbRow, StorageTables } from './schema.ts'

/**
 * The hashes among `hashes` that are in view, with the view's first ref first: one statement,
 * independent of other content.
 */
export async function xorbsInView(
  tables: StorageTables,
  view: View,
  hashes: readonly Hash[],
): Promise<readonly FoundXorbRow[]> {
  const { rows } = await sql<FoundXorbRow>`
    SELECT x.*, o.key FROM (${rowsInView(tables, 'stored_xorbs', { view, hashes })}) AS x
    CROSS JOIN stored_objects AS o
    WHERE o.digest = x.digest ORDER BY x.rank`.execute(tables)
  return rows
}

export async function xorbsOfRef(
  tables: StorageTables,
  refUid: RefUid,
  hashes: readonly Hash[],
): Promise<readonly FoundXorbRow[]> {
  const { rows } = await sql<FoundXorbRow>`
    SELECT x.*, o.key FROM ${hashList(tables, hashes)} CROSS JOIN stored_xorbs AS x
    CROSS JOIN stored_objects AS o
    WHERE x.ref_uid = ${refUid} AND x.hash = wanted.hash AND o.digest = x.digest`.execute(tables)
  return rows
}

export async function fileInView(
  tables: StorageTables,
  view: View,
  hash: Hash,
): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    SELECT * FROM (${rowsInView(tables, 'stored_files', { view, hashes: [hash] })}) AS seen
    ORDER BY rank LIMIT 1`.execute(tables)
  return rows[0]
}

/** Reads only rows whose SHA-256 is known. */
export async function sha256sInView(
  tables: StorageTables,
  view: View,
  hashes: readonly Hash[],
): Promise<readonly Pick<FileRow, 'hash' | 'sha256'>[]> {
  const { rows } = await sql<Pick<FileRow, 'hash' | 'sha256'>>`
    SELECT hash, sha256 FROM (${rowsInView(tables, 'stored_files', { view, hashes })}) AS seen
    WHERE sha256 IS NOT NULL`.execute(tables)
  return rows
}

/** The xorb that holds a chunk, of the same ref as the chunk's row. */
export async function xorbOfChunkInView(
  tables: StorageTables,
  view: View,
  hash: Hash,
): Promise<FoundXorbRow | undefined> {
  const { rows } = await sql<FoundXorbRow>`
    SELECT x.*, o.key FROM (${rowsInView(tables, 'stored_chunks', { view, hashes: [hash] })}) AS c
    CROSS JOIN stored_xorbs AS x
    CROSS JOIN stored_objects AS o
    WHERE x.ref_uid = c.ref_uid AND x.hash = c.xorb_hash AND o.digest = x.digest
    ORDER BY c.rank LIMIT 1`.execute(tables)
  return rows[0]
}

type InView = 'stored_xorbs' | 'stored_files' | 'stored_chunks'

interface Looking {
  readonly view: View
  readonly hashes: readonly Hash[]
}

/** Joined crosswise, so that each is looked for by its key and nothing of other refs is touched. */
function rowsInView(
  tables: StorageTables,
  table: InView,
  { view: { repositoryUid, refs }, hashes }: Looking,
): RawBuilder<unknown> {
  if (refs === undefined) return rowsOfRepository(tables, table, { repositoryUid, hashes })
  return sql`
    SELECT r.*, seen.place AS rank
    FROM ${seenRefs(tables, refs)}
    CROSS JOIN ${hashList(tables, hashes)}
    CROSS JOIN ${sql.table(table)} AS r
    WHERE r.ref_uid = seen.uid AND r.hash = wanted.hash
      AND r.repository_uid = ${repositoryUid}
      AND (seen.before IS NULL OR r.stamp < seen.before)
      AND ${isThere(sql`r.ref_uid`)} AND ${isThere(sql`r.repository_uid`)}`
}

/** Every ref's copy is as good: one of them is found without looking at all. */
function rowsOfRepository(
  tables: StorageTables,
  table: InView,
  {
    repositoryUid,
    hashes,
  }: { readonly repositoryUid: RepositoryUid; readonly hashes: readonly Hash[] },
): RawBuilder<unknown> {
  return sql`
    SELECT r.*, 0 AS rank
    FROM ${hashList(tables, hashes)} CROSS JOIN ${sql.table(table)} AS r
    WHERE r.hash = wanted.hash AND r.ref_uid = (
      SELECT min(ref_uid) FROM (
        SELECT ref_uid FROM ${sql.table(table)}
        WHERE repository_uid = ${repositoryUid} AND hash = wanted.hash ${candidates[table]}) AS c
      WHERE ${isThere(sql`c.ref_uid`)} AND ${isThere(sql`${repositoryUid}`)})`
}

/** So many rows are looked at where rows of removed refs may come first, and the answer may leave something out. */
export const maxCandidates = 64

/** A file or xorb that is there must be found. A chunk that is not found is sent again, and nothing is lost. */
const candidates: Record<InView, RawBuilder<unknown>> = {
  stored_xorbs: sql``,
  stored_files: sql``,
  stored_chunks: sql`ORDER BY ref_uid LIMIT ${maxCandidates}`,
}

/** The rows of a removed place are deleted later, bit by bit; from the tombstone on they are not found. */
export function isThere(uid: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`NOT EXISTS (SELECT 1 FROM removed_places AS p WHERE p.uid = ${uid})`
}

export function seenRefs(tables: StorageTables, refs: readonly SeenRefView[]): RawBuilder<unknown> {
  return columnList(tables, 'seen', {
    uid: texts(refs.map(({ uid }) => uid)),
    before: numbers(refs.map(({ before }) => before)),
  })
}

function hashList(tables: StorageTables, hashes: readonly Hash[]): RawBuilder<unknown> {
  return columnList(tables, 'wanted', { hash: texts(hashes) })
}
