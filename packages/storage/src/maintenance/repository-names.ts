/** Looks up the hub's names of repositories that the storage knows by uid. */

import { HubLinkError } from '@latchkey/gate/hub-link'
import {
  formatRepoRef,
  isRefusal,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
} from '@latchkey/protocol'
import type { StorageTables } from '../catalog/schema.ts'
import type { HubSide } from './hub-side.ts'
import type { Maintenance } from './maintenance.ts'

/** As an operator names one: by its name, or by its uid. */
export type WantedRepository = RepoRef | RepositoryUid

export interface FoundRepository {
  readonly uid: RepositoryUid
  /** The uid again, where there is no name. */
  readonly path: string
  /** The hub does not have it. */
  readonly isUnknown?: true
}

export async function findRepository(
  { names, link }: HubSide,
  repository: WantedRepository,
): Promise<FoundRepository | Refusal> {
  if (typeof repository === 'string') {
    const [found = { uid: repository, path: repository }] = await named({ names, link }, [
      repository,
    ])
    return found
  }
  if (names === undefined) return noNames(repository)
  const uid = await names.uidOf(repository)
  return uid === undefined ? noRepository(repository) : { uid, path: formatRepoRef(repository) }
}

/** The same, for what has content here: a uid without a name and without content is a mistake. */
export async function findStored(
  maintenance: Maintenance,
  repository: WantedRepository,
): Promise<FoundRepository | Refusal> {
  const found = await findRepository(maintenance, repository)
  if (isRefusal(found) || found.path !== found.uid) return found
  return (await maintenance.read((tables) => hasRows(tables, found.uid)))
    ? found
    : nothingOf(found.uid)
}

async function hasRows(tables: StorageTables, uid: RepositoryUid): Promise<boolean> {
  const total = tables.selectFrom('stored_totals').select('bytes').where('repository_uid', '=', uid)
  return (await total.executeTakeFirst()) !== undefined
}

/** In order of their names; a repository without one is called by its uid, and comes after the others. */
export async function named(
  { names, link }: HubSide,
  uids: readonly RepositoryUid[],
): Promise<readonly FoundRepository[]> {
  const paths = await names?.pathsOf(uids)
  const unknown = paths === undefined ? await unknownAmong(link, uids) : missingIn(paths, uids)
  return uids
    .map((uid) => {
      const found = { uid, path: paths?.get(uid) ?? uid }
      return unknown.has(uid) ? { ...found, isUnknown: true as const } : found
    })
    .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
}

function orderOf({ uid, path }: FoundRepository): string {
  return path === uid ? `~${uid}` : path
}

function missingIn(
  paths: ReadonlyMap<RepositoryUid, string>,
  uids: readonly RepositoryUid[],
): ReadonlySet<string> {
  return new Set(uids.filter((uid) => !paths.has(uid)))
}

/** A hub that cannot be asked marks none: looking goes on without it. */
async function unknownAmong(
  { findUnknown }: Maintenance['link'],
  uids: readonly RepositoryUid[],
): Promise<ReadonlySet<string>> {
  try {
    return await findUnknown(uids)
  } catch (error) {
    if (!(error instanceof HubLinkError)) throw error
    return new Set()
  }
}

function noRepository(repo: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `There is no repository ${formatRepoRef(repo)}. Names are matched exactly.`,
  )
}

function nothingOf(uid: RepositoryUid): Refusal {
  return refuse(
    'resource_not_found',
    `No repository with the uid ${uid} has content here. Check the uid: "latchkey storage usage" lists them.`,
  )
}

function noNames(repo: RepoRef): Refusal {
  return refuse(
    'bad_request',
    `The name ${formatRepoRef(repo)} means nothing here: the hub's database is not in this data directory, and the hub tells a storage no names. Give the uid of the repository, as "latchkey storage usage" and, at the hub, "latchkey repo show" tell it.`,
  )
}
