/** Repositories: type, namespace and name, with a uid that its name never gets again. */

import { type VerbTable, visibility } from '@latchkey/admin-api'
import {
  formatRepoRef,
  formatTime,
  isRefusal,
  type RefName,
  type Refusal,
  refuse,
  shortRefName,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { z } from 'zod'
import { refuseUnknownStorage } from '../minting/storage-names.ts'
import type { Change } from '../tables/change.ts'
import { countOf, samePath } from '../tables/columns.ts'
import type { ChangeWork, Reading } from '../tables/directory.ts'
import type { NamespaceRow, RepositoryRow } from '../tables/rows.ts'
import { type Changing, type Does, makePage } from './does.ts'
import { findNamespace, noNamespace } from './namespaces.ts'
import { refuseQuota } from './quotas.ts'
import { findObstacle } from './ref-refusals.ts'
import { findRefRow, newRefRow } from './ref-rows.ts'
import {
  changedRepositoryRow,
  findRepositoryRow,
  newRepositoryRow,
  noRepository,
  repositoryTaken,
} from './repository-rows.ts'

export const createRepository: Does<'repo create'> = async (work, input) => {
  const { tables, put } = work
  const path = formatRepoRef(input.repository)
  const namespace = await findNamespace(tables, input.repository.namespace)
  if (namespace === undefined) return noNamespace(input.repository.namespace)
  const similar = await tables
    .selectFrom('repositories')
    .select('path')
    .where(samePath(path))
    .executeTakeFirst()
  if (similar !== undefined) return repositoryTaken(similar.path)
  const unknown = await refuseUnknownStorage(tables, input.storage)
  if (unknown !== undefined) return unknown
  const row = newRepositoryRow(work, namespace, { ...input, path })
  const beyond =
    (await refuseManyRepositories(work, namespace)) ?? (await refuseQuota(work, namespace, row))
  if (beyond !== undefined) return beyond
  await put([{ thing: 'repository', after: row }, newBranch(work, row)])
  return repositoryOutput(row)
}

export const showRepository: Does<'repo show'> = async ({ tables }, input) => {
  const row = await findRepositoryRow(tables, input.repository)
  return row === undefined ? noRepository(input.repository) : repositoryOutput(row)
}

export const listRepositories: Does<'repo list'> = async ({ tables }, input) => {
  const { namespace, limit, after = '' } = input
  const owner = namespace === undefined ? undefined : await findNamespace(tables, namespace)
  if (namespace !== undefined && owner === undefined) return noNamespace(namespace)
  const all = tables
    .selectFrom('repositories')
    .$if(owner !== undefined, (some) => some.where('namespace_id', '=', owner?.id ?? ''))
  const rows = await all
    .selectAll()
    .where('path', '>', after)
    .orderBy('path')
    .limit(limit + 1)
    .execute()
  return makePage({ rows, total: await countOf(all), limit }, repositoryOutput, (row) => row.path)
}

export const setRepository: Does<'repo set'> = async (work, { repository, ...wish }) => {
  const { tables, put } = work
  const row = await findRepositoryRow(tables, repository)
  if (row === undefined) return noRepository(repository)
  const changed = changedRepositoryRow(row, wish)
  const namespace = await findNamespace(tables, repository.namespace)
  const beyond = namespace && (await refuseQuota(work, namespace, changed, row))
  if (beyond !== undefined) return beyond
  const branch = wish.defaultBranch && (await missingBranch(work, changed))
  if (isRefusal(branch)) return branch
  await put([{ thing: 'repository', before: row, after: changed }, ...(branch ?? [])])
  return repositoryOutput(changed)
}

export const deleteRepository: Does<'repo delete'> = async ({ tables, put }, input) => {
  const row = await findRepositoryRow(tables, input.repository)
  if (row === undefined) return noRepository(input.repository)
  await put([{ thing: 'repository', before: row }])
  return { deleted: row.path }
}

/** The rules of callers bind administrators of a namespace, too. */
async function refuseManyRepositories(
  { tables, actor, repositoriesPerNamespace: most }: Changing,
  namespace: NamespaceRow,
): Promise<Refusal | undefined> {
  return actor?.namespaces && refuseMoreRepositories(tables, namespace, most)
}

export async function refuseMoreRepositories(
  tables: Reading,
  { id, name }: NamespaceRow,
  most: number,
): Promise<Refusal | undefined> {
  const inside = tables.selectFrom('repositories').where('namespace_id', '=', id)
  if ((await countOf(inside)) < most) return undefined
  const detail = `The namespace ${name} has ${most} repositories, which is as many as it may have.`
  return refuse('quota_exceeded', detail)
}

/** The default branch, without a commit: content can be uploaded to it before the first one. */
function newBranch(work: ChangeWork, repository: RepositoryRow): Change {
  const name = repository.default_branch as RefName
  return { thing: 'ref', after: newRefRow(work, repository.uid, { name }), repository }
}

async function missingBranch(
  work: ChangeWork,
  repository: RepositoryRow,
): Promise<readonly Change[] | Refusal> {
  const { tables } = work
  const name = repository.default_branch as RefName
  if ((await findRefRow(tables, repository.uid, name)) !== undefined) return []
  return (await findObstacle(tables, repository, name)) ?? [newBranch(work, repository)]
}

export function repositoryOutput(row: RepositoryRow): z.input<VerbTable['repo show']['output']> {
  return {
    uid: row.uid,
    repository: row.path,
    visibility: visibility.parse(row.visibility),
    defaultBranch: shortRefName(row.default_branch),
    storage: row.storage,
    ...(row.quota_bytes !== null && { quotaBytes: row.quota_bytes }),
    ...(row.moves_to !== null && { movesTo: row.moves_to }),
    ...(row.moves_number !== null && { movesNumber: row.moves_number }),
    createdAt: formatTime(row.created_at as UnixSeconds),
  }
}
