/** Which repositories were deleted, as the journal tells it. */

import type { RepositoryUid } from '@latchkey/protocol'
import { sql } from 'kysely'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'

/**
 * A directory that knows nothing of a repository is no reason to remove its files: it may be the wrong one, or of an old backup.
 * Only an entry that says so is one.
 */
export async function deletedAmong(
  tables: Reading,
  uids: readonly RepositoryUid[],
): Promise<readonly RepositoryUid[]> {
  const deleted: RepositoryUid[] = []
  for (const some of chunked(uids)) {
    const rows = await tables
      .selectFrom('repositories')
      .select('uid')
      .where('uid', 'in', some)
      .execute()
    const there = new Set(rows.map(({ uid }) => uid))
    const missing = some.filter((uid) => !there.has(uid))
    if (missing.length === 0) continue
    const entries = await tables
      .selectFrom('journal')
      .select('repository_uid')
      .distinct()
      .where('thing', '=', 'repository')
      .where('did', '=', sql.lit('deleted'))
      .where('repository_uid', 'in', missing)
      .execute()
    deleted.push(...entries.flatMap(({ repository_uid: uid }) => uid ?? []))
  }
  return deleted
}
