/** Who has an object: the repositories, and their files that are made of it. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { StorageTables } from '../catalog/schema.ts'
import { Terms } from '../catalog/terms.ts'
import type { Digest } from '../objects/object-store.ts'
import { fileWatch } from './file-watch.ts'
import type { FoundRepository } from './find-repository.ts'

/** In order of their names; at most so many. */
export function repositoriesWith(
  tables: StorageTables,
  digest: Digest,
  most: number,
): Promise<readonly FoundRepository[]> {
  return tables
    .selectFrom('stored_xorbs as x')
    .innerJoin('repositories as r', 'r.uid', 'x.repository_uid')
    .select(['r.uid', 'r.path'])
    .distinct()
    .where('x.digest', '=', digest)
    .orderBy('r.path')
    .limit(most)
    .execute()
}

/** By xorb, the files of a repository that are made of it, each once; at most so many of each. */
export async function filesMadeOf(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
  { xorbs, most }: { readonly xorbs: Iterable<Hash>; readonly most: number },
): Promise<ReadonlyMap<Hash, ReadonlySet<Hash>>> {
  const files = new Map(Array.from(xorbs, (xorb) => [xorb, new Set<Hash>()]))
  const look = fileWatch(repositoryUid, ({ hash, terms }) => {
    for (const { xorb } of new Terms(terms)) {
      const made = files.get(xorb)
      if (made !== undefined && made.size < most) made.add(hash as Hash)
    }
  })
  await look(tables)
  return files
}
