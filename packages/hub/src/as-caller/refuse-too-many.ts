/** Bounds on what clients of a forge make; commands of the operator know none. */

import { type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import { ownRefRange } from '../permission/own-refs.ts'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import { findNamespace } from '../verbs/namespaces.ts'
import { findRepositoryRow } from '../verbs/repository-rows.ts'

export async function refuseManyRepositories(
  tables: Reading,
  namespace: string,
  most: number,
): Promise<Refusal | undefined> {
  const found = await findNamespace(tables, namespace)
  if (found === undefined) return undefined
  const inside = tables.selectFrom('repositories').where('namespace_id', '=', found.id)
  if ((await countOf(inside)) < most) return undefined
  const detail = `The namespace ${namespace} has ${most} repositories, which is as many as it may have.`
  return refuse('quota_exceeded', detail)
}

/** For a ref that is not there yet. Refs of the hub's own do not count: each account that proposes has some. */
export async function refuseManyRefs(
  tables: Reading,
  repo: RepoRef,
  most: number,
): Promise<Refusal | undefined> {
  const found = await findRepositoryRow(tables, repo)
  if (found === undefined) return undefined
  const [first, end] = ownRefRange
  const refs = tables
    .selectFrom('refs')
    .where('repository_uid', '=', found.uid)
    .where((row) => row.or([row('name', '<', first), row('name', '>=', end)]))
  if ((await countOf(refs)) < most) return undefined
  const detail = `The repository has ${most} refs, which is as many as it may have. Delete some first.`
  return refuse('quota_exceeded', detail)
}
