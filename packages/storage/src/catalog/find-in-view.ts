/** Looks things up by their hash in what a token may see. */

import type { RefUid, RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { type RawBuilder, sql } from 'kysely'
import type { Seen, View } from './catalog.ts'
import type { FileRow, StorageTables, XorbRow } from './schema.ts'

/** Those of `hashes` that are in view, of the view's first ref first: one statement, whatever there is elsewhere. */
export async function xorbsInView(
  tables: StorageTables,
  view: View,
  hashes: readonly Hash[],
): Promise<readonly XorbRow[]> {
  const { rows } = await sql<XorbRow>`
    SELECT * FROM (${rowsInView('stored_xorbs', view, hashes)}) ORDER BY rank`.execute(tables)
  return rows
}

export async function xorbsOfRef(
  tables: StorageTables,
  refUid: RefUid,
  hashes: readonly Hash[],
): Promise<readonly XorbRow[]> {
  const { rows } = await sql<XorbRow>`
    SELECT x.* FROM json_each(${JSON.stringify(hashes)}) AS wanted
    CROSS JOIN stored_xorbs AS x ON x.ref_uid = ${refUid} AND x.hash = wanted.value`.execute(tables)
  return rows
}

export async function fileInView(
  tables: StorageTables,
  view: View,
  hash: Hash,
): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    SELECT * FROM (${rowsInView('stored_files', view, [hash])}) ORDER BY rank LIMIT 1`.execute(
    tables,
  )
  return rows[0]
}

/** The xorb that holds a chunk, of the same ref as the chunk's row. */
export async function xorbOfChunkInView(
  tables: StorageTables,
  view: View,
  hash: Hash,
): Promise<XorbRow | undefined> {
  const { rows } = await sql<XorbRow>`
    SELECT x.* FROM (${rowsInView('stored_chunks', view, [hash])}) AS c
    CROSS JOIN stored_xorbs AS x ON x.ref_uid = c.ref_uid AND x.hash = c.xorb_hash
    ORDER BY c.rank LIMIT 1`.execute(tables)
  return rows[0]
}

type InView = 'stored_xorbs' | 'stored_files' | 'stored_chunks'

/** Joined crosswise, so that each is looked for by its key and nothing of other refs is touched. */
function rowsInView(
  table: InView,
  { repositoryUid, refs }: View,
  hashes: readonly Hash[],
): RawBuilder<unknown> {
  if (refs === undefined) return rowsOfRepository(table, repositoryUid, hashes)
  return sql`
    SELECT r.*, seen.key AS rank
    FROM json_each(${asJson(refs)}) AS seen
    CROSS JOIN json_each(${JSON.stringify(hashes)}) AS wanted
    CROSS JOIN ${sql.table(table)} AS r
      ON r.ref_uid = seen.value ->> 'uid' AND r.hash = wanted.value
    WHERE r.repository_uid = ${repositoryUid}
      AND (seen.value ->> 'before' IS NULL OR r.stamp < seen.value ->> 'before')
      AND r.ref_uid NOT IN ${removed} AND r.repository_uid NOT IN ${removed}`
}

/** Every ref's copy is as good: one of them is found without looking at all. */
function rowsOfRepository(
  table: InView,
  repositoryUid: RepositoryUid,
  hashes: readonly Hash[],
): RawBuilder<unknown> {
  return sql`
    SELECT r.*, 0 AS rank
    FROM json_each(${JSON.stringify(hashes)}) AS wanted
    CROSS JOIN ${sql.table(table)} AS r ON r.hash = wanted.value AND r.ref_uid = (
      SELECT min(ref_uid) FROM (
        SELECT ref_uid FROM ${sql.table(table)}
        WHERE repository_uid = ${repositoryUid} AND hash = wanted.value ${candidates[table]})
      WHERE ref_uid NOT IN ${removed} AND ${repositoryUid} NOT IN ${removed})`
}

/** So many rows are looked at where rows of removed refs may come first, and the answer may leave something out. */
export const mostCandidates = 64

/** A file or xorb that is there must be found. A chunk that is not found is sent again, and nothing is lost. */
const candidates: Record<InView, RawBuilder<unknown>> = {
  stored_xorbs: sql``,
  stored_files: sql``,
  stored_chunks: sql`ORDER BY ref_uid LIMIT ${mostCandidates}`,
}

/** The rows of a removed place are deleted later, bit by bit; from the tombstone on they are not found. */
export const removed = sql`(SELECT uid FROM removed_places)`

export function asJson(refs: readonly Seen[]): string {
  return JSON.stringify(refs.map(({ uid, before }) => ({ uid, before: before ?? null })))
}
