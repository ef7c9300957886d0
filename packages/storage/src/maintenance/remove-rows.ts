/** Takes rows out of a repository; an object that no row names any more is then free. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { inBatches } from '../catalog/batches.ts'
import type { StorageTables } from '../catalog/schema.ts'
import type { Digest } from '../objects/object-store.ts'

/** A xorb as one ref had it. */
export interface GoneXorb {
  readonly digest: Digest
  readonly packedBytes: number
}

/** How many of the rows have each. */
export function rowsByDigest(rows: Iterable<GoneXorb>): ReadonlyMap<Digest, number> {
  const counts = new Map<Digest, number>()
  for (const { digest } of rows) counts.set(digest, (counts.get(digest) ?? 0) + 1)
  return counts
}

export function digestsOf(rows: readonly GoneXorb[]): readonly Digest[] {
  return [...new Set(rows.map(({ digest }) => digest))]
}

/** The rows of these xorbs, one for every ref that has it. */
export async function xorbRows(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
  hashes: readonly Hash[],
): Promise<readonly GoneXorb[]> {
  const rows: GoneXorb[] = []
  for (const some of inBatches(hashes)) {
    const found = await tables
      .selectFrom('stored_xorbs')
      .select(['digest', 'packed_bytes as packedBytes'])
      .where('repository_uid', '=', repositoryUid)
      .where('hash', 'in', some)
      .execute()
    for (const row of found) rows.push({ ...row, digest: row.digest as Digest })
  }
  return rows
}

/** With the chunks that clients would find in them. */
export async function removeXorbRows(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
  hashes: readonly Hash[],
): Promise<readonly GoneXorb[]> {
  const gone = await xorbRows(tables, repositoryUid, hashes)
  for (const some of inBatches(hashes)) {
    await tables
      .deleteFrom('stored_chunks')
      .where('repository_uid', '=', repositoryUid)
      .where('xorb_hash', 'in', some)
      .execute()
    await tables
      .deleteFrom('stored_xorbs')
      .where('repository_uid', '=', repositoryUid)
      .where('hash', 'in', some)
      .execute()
  }
  return gone
}

export async function removeFileRows(
  tables: StorageTables,
  positions: readonly number[],
): Promise<void> {
  for (const some of inBatches(positions)) {
    await tables.deleteFrom('stored_files').where('position', 'in', some).execute()
  }
}
