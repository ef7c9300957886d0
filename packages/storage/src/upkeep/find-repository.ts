/** The repository that somebody named. */

import {
  formatRepoRef,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
} from '@latchkey/protocol'
import type { StorageTables } from '../catalog/schema.ts'

export interface FoundRepository {
  readonly uid: RepositoryUid
  readonly path: string
}

export async function findRepository(
  tables: StorageTables,
  repo: RepoRef,
): Promise<FoundRepository | Refusal> {
  const found = await tables
    .selectFrom('repositories')
    .select(['uid', 'path'])
    .where('path', '=', formatRepoRef(repo))
    .executeTakeFirst()
  return found ?? noRepository(repo)
}

function noRepository(repo: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `There is no repository ${formatRepoRef(repo)}. Names are matched exactly.`,
  )
}
