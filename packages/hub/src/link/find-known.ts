/** Which uids the directory has on one storage: as a repository, a ref or a commit. */

import { asRefUid, asRepositoryUid, type StorageName } from '@latchkey/protocol'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'

export async function findKnown(
  tables: Reading,
  storage: StorageName,
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
        .where(isOn(storage))
        .execute(),
      await tables
        .selectFrom('refs')
        .innerJoin('repositories', 'repositories.uid', 'refs.repository_uid')
        .select('refs.uid')
        .where('refs.uid', 'in', refs)
        .where(isOn(storage))
        .execute(),
      await tables
        .selectFrom('commits')
        .innerJoin('repositories', 'repositories.uid', 'commits.repository_uid')
        .select('commits.uid')
        .where('commits.uid', 'in', refs)
        .where(isOn(storage))
        .execute(),
    ]
    for (const { uid } of found.flat()) knownUids.add(uid)
  }
  return knownUids
}

/** Content that moves to a storage is no leftover there. */
function isOn(storage: StorageName): RawBuilder<SqlBool> {
  return sql<SqlBool>`(storage = ${storage} or moves_to = ${storage})`
}
