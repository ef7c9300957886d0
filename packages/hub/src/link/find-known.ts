/** Which uids of a storage the directory has: as a repository, a ref or a commit. */

import { asRefUid, asRepositoryUid } from '@latchkey/protocol'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'

export async function findKnown(
  tables: Reading,
  uids: readonly string[],
): Promise<ReadonlySet<string>> {
  const knownUids = new Set<string>()
  for (const some of chunked(uids)) {
    const repositories = some.map((uid) => asRepositoryUid(uid))
    const refs = some.map((uid) => asRefUid(uid))
    const found = [
      await tables
        .selectFrom('repositories')
        .select('uid')
        .where('uid', 'in', repositories)
        .execute(),
      await tables.selectFrom('refs').select('uid').where('uid', 'in', refs).execute(),
      await tables.selectFrom('commits').select('uid').where('uid', 'in', refs).execute(),
    ]
    for (const { uid } of found.flat()) knownUids.add(uid)
  }
  return knownUids
}
