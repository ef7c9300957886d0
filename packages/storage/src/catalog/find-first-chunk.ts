/** Looks files up by their first chunk in what a token may see. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { type RawBuilder, sql } from 'kysely'
import type { View } from './catalog.ts'
import { isThere, mostCandidates, seenRefs } from './find-in-view.ts'
import type { FileRow, StorageTables } from './schema.ts'

/** The newest of the first ref that has one: one statement, whatever there is elsewhere. */
export async function fileFromChunkInView(
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
      ORDER BY position DESC LIMIT ${mostCandidates}) AS c
    WHERE ${isThere(sql`c.ref_uid`)} AND ${isThere(sql`${repositoryUid}`)}`
}
