/** Rows of repositories: found, made, changed, and the words for one that is not there. */

import {
  formatRepoRef,
  type RefName,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import type { Reading, Work } from '../tables/directory.ts'
import type { RepositoryRow } from '../tables/rows.ts'

export interface RepositoryWish {
  readonly visibility?: 'public' | 'private' | undefined
  readonly defaultBranch?: RefName | undefined
}

export function newRepositoryRow(
  { now, randomBytes }: Work,
  namespaceId: string,
  { path, ...wish }: RepositoryWish & { readonly path: string },
): RepositoryRow {
  const plain = { visibility: 'private', default_branch: 'refs/heads/main', ref_rules: '[]' }
  const ids = { uid: newId<RepositoryUid>(randomBytes), namespace_id: namespaceId, path }
  return changedRepositoryRow({ ...ids, created_at: now, ...plain, epoch: 0 }, wish)
}

export function changedRepositoryRow(row: RepositoryRow, wish: RepositoryWish): RepositoryRow {
  return {
    ...row,
    visibility: wish.visibility ?? row.visibility,
    default_branch: wish.defaultBranch ?? row.default_branch,
  }
}

export function findRepositoryRow(
  tables: Reading,
  repo: RepoRef,
): Promise<RepositoryRow | undefined> {
  const path = formatRepoRef(repo)
  return tables.selectFrom('repositories').selectAll().where('path', '=', path).executeTakeFirst()
}

export function findRepositoryByUid(
  tables: Reading,
  uid: RepositoryUid | null,
): Promise<RepositoryRow | undefined> {
  return tables.selectFrom('repositories').selectAll().where('uid', '=', uid).executeTakeFirst()
}

export function noRepository(repo: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `There is no repository ${formatRepoRef(repo)}. Names are matched exactly; create the repository first.`,
    { next: ['repo', 'create', formatRepoRef(repo)] },
  )
}

export function repositoryTaken(path: string): Refusal {
  return refuse(
    'conflict',
    `There is a repository ${path} already, and names must differ by more than case. Choose another name.`,
    { next: ['repo', 'show', path] },
  )
}
