/** Looks files up by the SHA-256 of their bytes, and finds those that have none yet, in what a token may see. */

import type { RefUid, RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { type RawBuilder, sql } from 'kysely'
import type { FileOfRef, View } from './catalog.ts'
import { isThere, seenRefs } from './find-in-view.ts'
import type { StorageTables } from './schema.ts'
import type { Sha256 } from './sha256.ts'

interface Wanted {
  readonly sha256: Sha256
  readonly bytes: number
}

/** The oldest of the first ref that has one: one statement, whatever there is elsewhere. */
export async function fileWithSha256InView(
  tables: StorageTables,
  { repositoryUid, refs }: View,
  content: Wanted,
): Promise<Hash | undefined> {
  const oldest =
    refs === undefined
      ? oldestOfRepository(repositoryUid, content)
      : sql`
        SELECT hash FROM (
          SELECT seen.place AS rank, (${oldestOfSeen(repositoryUid, content)}) AS hash
          FROM ${seenRefs(tables, refs)}
          WHERE ${isThere(sql`seen.uid`)} AND ${isThere(sql`${repositoryUid}`)}) AS found
        WHERE hash IS NOT NULL ORDER BY rank LIMIT 1`
  const { rows } = await sql<{ hash: Hash }>`${oldest}`.execute(tables)
  return rows[0]?.hash
}

/** Security boundary: one seek in the index, so that no row which the token does not see takes time. */
function oldestOfSeen(repositoryUid: RepositoryUid, content: Wanted): RawBuilder<unknown> {
  const { sha256, bytes } = content
  return sql`
    SELECT hash FROM stored_files
    WHERE ref_uid = seen.uid AND sha256 = ${sha256} AND repository_uid = ${repositoryUid}
      AND bytes = ${bytes} AND stamp < coalesce(seen.before, ${Number.MAX_SAFE_INTEGER})
    ORDER BY stamp, position LIMIT 1`
}

function oldestOfRepository(repositoryUid: RepositoryUid, content: Wanted): RawBuilder<unknown> {
  const { sha256, bytes } = content
  return sql`
    SELECT f.hash FROM stored_files AS f
    WHERE f.repository_uid = ${repositoryUid} AND f.sha256 = ${sha256} AND f.bytes = ${bytes}
      AND ${isThere(sql`f.ref_uid`)} AND ${isThere(sql`f.repository_uid`)}
    ORDER BY f.position LIMIT 1`
}

interface Unhashed {
  readonly bytes: number
  readonly most: number
}

/** Only files of this length can be the one that is looked for. */
export async function unhashedInView(
  tables: StorageTables,
  { repositoryUid, refs }: View,
  { bytes, most }: Unhashed,
): Promise<readonly FileOfRef[]> {
  const unhashed =
    refs === undefined
      ? unhashedOfRepository(repositoryUid, bytes)
      : unhashedOfSeen(repositoryUid, bytes, seenRefs(tables, refs))
  const { rows } = await sql<{ ref_uid: RefUid; hash: Hash }>`${unhashed} LIMIT ${most}`.execute(
    tables,
  )
  return rows.map(({ ref_uid: refUid, hash }) => ({ refUid, hash }))
}

/** Security boundary: bounded by the index, as above. */
function unhashedOfSeen(
  repositoryUid: RepositoryUid,
  bytes: number,
  seenRefs: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    SELECT f.ref_uid, f.hash FROM ${seenRefs} CROSS JOIN stored_files AS f
    WHERE f.ref_uid = seen.uid AND f.bytes = ${bytes} AND f.repository_uid = ${repositoryUid}
      AND f.stamp < coalesce(seen.before, ${Number.MAX_SAFE_INTEGER}) AND f.sha256 IS NULL
      AND ${isThere(sql`f.ref_uid`)} AND ${isThere(sql`f.repository_uid`)}
    ORDER BY seen.place, f.stamp, f.position`
}

function unhashedOfRepository(repositoryUid: RepositoryUid, bytes: number): RawBuilder<unknown> {
  return sql`
    SELECT f.ref_uid, f.hash FROM stored_files AS f
    WHERE f.repository_uid = ${repositoryUid} AND f.bytes = ${bytes} AND f.sha256 IS NULL
      AND ${isThere(sql`f.ref_uid`)} AND ${isThere(sql`f.repository_uid`)}
    ORDER BY f.position`
}
