/** Who has an object: the repositories, and their files that are made of it. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { StorageTables } from '../catalog/schema.ts'
import { Terms } from '../catalog/terms.ts'
import type { Digest } from '../objects/object-store.ts'
import { fileWatch } from './file-watch.ts'
import { type FoundRepository, named } from './repository-names.ts'
import type { Upkeep } from './upkeep.ts'

/** In order of their names; at most so many. */
export async function repositoriesWith(
  upkeep: Upkeep,
  digest: Digest,
  most: number,
): Promise<readonly FoundRepository[]> {
  const rows = await upkeep.read((tables) =>
    tables
      .selectFrom('stored_xorbs')
      .select('repository_uid')
      .distinct()
      .where('digest', '=', digest)
      .limit(most)
      .execute(),
  )
  return named(
    upkeep,
    rows.map((row) => row.repository_uid),
  )
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
