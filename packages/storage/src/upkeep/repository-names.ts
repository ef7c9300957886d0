/** What the hub calls the repositories that the storage knows by uid. */

import {
  formatRepoRef,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
} from '@latchkey/protocol'

/** Only a hub's own database answers: a link tells no names, and then everything goes by its uid. */
export interface RepositoryNames {
  uidOf(repo: RepoRef): Promise<RepositoryUid | undefined>
  /** `models/acme/bert`, for those that have a name. */
  pathsOf(uids: readonly RepositoryUid[]): Promise<ReadonlyMap<RepositoryUid, string>>
}

export interface FoundRepository {
  readonly uid: RepositoryUid
  readonly path: string
}

export async function findRepository(
  { uidOf }: RepositoryNames,
  repo: RepoRef,
): Promise<FoundRepository | Refusal> {
  const uid = await uidOf(repo)
  return uid === undefined ? noRepository(repo) : { uid, path: formatRepoRef(repo) }
}

/** In order of their names; a repository without one is called by its uid. */
export async function named(
  { pathsOf }: RepositoryNames,
  uids: readonly RepositoryUid[],
): Promise<readonly FoundRepository[]> {
  const paths = await pathsOf(uids)
  return uids
    .map((uid) => ({ uid, path: paths.get(uid) ?? uid }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

function noRepository(repo: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `There is no repository ${formatRepoRef(repo)}. Names are matched exactly.`,
  )
}
