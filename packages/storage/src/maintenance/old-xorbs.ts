/** Xorbs of a repository by their age, which begins anew when one is uploaded again. */

import type { RepositoryUid, UnixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { sql } from 'kysely'
import type { StorageTables } from '../catalog/schema.ts'

export async function repositoriesWithXorbs(
  tables: StorageTables,
): Promise<readonly RepositoryUid[]> {
  const rows = await tables
    .selectFrom('stored_totals')
    .select('repository_uid')
    .where('objects', '>', 0)
    .execute()
  return rows.map(({ repository_uid }) => repository_uid)
}

export interface XorbPage {
  readonly before: UnixSeconds
  readonly after: string
  readonly most: number
}

/** In order, after one of them; a ref that got it lately protects it in all refs. */
export async function oldXorbs(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
  { before, after, most }: XorbPage,
): Promise<readonly Hash[]> {
  const rows = await tables
    .selectFrom('stored_xorbs')
    .select('hash')
    .where('repository_uid', '=', repositoryUid)
    .where('hash', '>', after)
    .groupBy('hash')
    .having(newest, '<', before)
    .orderBy('hash')
    .limit(most)
    .execute()
  return rows.map(({ hash }) => hash as Hash)
}

/** The xorbs among them that are not old any more. */
export async function youngAmong(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
  { hashes, before }: { hashes: readonly Hash[]; before: UnixSeconds },
): Promise<ReadonlySet<Hash>> {
  const rows = await tables
    .selectFrom('stored_xorbs')
    .select('hash')
    .where('repository_uid', '=', repositoryUid)
    .where('hash', 'in', hashes)
    .groupBy('hash')
    .having(newest, '>=', before)
    .execute()
  return new Set(rows.map(({ hash }) => hash as Hash))
}

const newest = sql<number>`max(CASE WHEN renewed_at > written_at THEN renewed_at ELSE written_at END)`
