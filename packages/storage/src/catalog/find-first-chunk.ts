/** Looks files up by their first chunk in what a token may see. */

import type { Hash } from '@latchkey/xet/format'
import { type RawBuilder, sql } from 'kysely'
import type { View } from './catalog.ts'
import { asJson, removed } from './find-in-view.ts'
import type { FileRow, StorageTables } from './schema.ts'

/** The newest of the first ref that has one: one statement, whatever there is elsewhere. */
export async function fileFromChunkInView(
  tables: StorageTables,
  view: View,
  firstChunk: Hash,
): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    SELECT * FROM stored_files WHERE position = (${newestInView(view, firstChunk)})`.execute(tables)
  return rows[0]
}

function newestInView({ repositoryUid, refs }: View, firstChunk: Hash): RawBuilder<unknown> {
  if (refs === undefined) {
    return sql`
      SELECT position FROM stored_files
      WHERE repository_uid = ${repositoryUid} AND first_chunk = ${firstChunk}
        AND ref_uid NOT IN ${removed} AND repository_uid NOT IN ${removed}
      ORDER BY position DESC LIMIT 1`
  }
  return sql`
    SELECT newest FROM (
      SELECT seen.key AS rank, (
        SELECT position FROM stored_files
        WHERE ref_uid = seen.value ->> 'uid' AND first_chunk = ${firstChunk}
          AND repository_uid = ${repositoryUid}
          AND (seen.value ->> 'before' IS NULL OR stamp < seen.value ->> 'before')
          AND ref_uid NOT IN ${removed} AND repository_uid NOT IN ${removed}
        ORDER BY position DESC LIMIT 1) AS newest
      FROM json_each(${asJson(refs)}) AS seen)
    WHERE newest IS NOT NULL ORDER BY rank LIMIT 1`
}
