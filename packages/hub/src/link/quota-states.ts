/** The quotas that a storage has to know: of its repositories, and of their namespaces. */

import type { RepositoryUid, StorageName } from '@latchkey/protocol'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Reading } from '../tables/directory.ts'

export interface QuotaStates {
  /** The journal's last number when they were read: of two states, the one with the lower number is older. */
  readonly number: number
  readonly repositories: readonly RepositoryQuota[]
  readonly namespaces: readonly NamespaceQuota[]
}

interface RepositoryQuota {
  readonly repository: string
  readonly namespace: string
  readonly bytes: number | null
}

interface NamespaceQuota {
  readonly namespace: string
  readonly bytes: number | null
}

/** A repository, its namespace, or both. */
export interface QuotaRow {
  readonly repository: string | null
  readonly namespace: string | null
  readonly bytes: number | null
  readonly namespaceBytes: number | null
}

export interface QuotaPage extends QuotaStates {
  readonly next?: string
}

/** How many repositories one answer has: the event loop waits for the database. */
export const maxRepositories = 1000

/** Content that moves to a storage counts there, too. */
export function isOnStorage(storage: StorageName): RawBuilder<SqlBool> {
  return sql<SqlBool>`(repositories.storage = ${storage} or repositories.moves_to = ${storage})`
}

export function statesIn(number: number, rows: readonly QuotaRow[]): QuotaStates {
  const repositories = new Map<string, RepositoryQuota>()
  const namespaces = new Map<string, NamespaceQuota>()
  for (const { repository, namespace, bytes, namespaceBytes } of rows) {
    if (namespace === null) continue
    namespaces.set(namespace, { namespace, bytes: namespaceBytes })
    if (repository !== null) repositories.set(repository, { repository, namespace, bytes })
  }
  return { number, repositories: [...repositories.values()], namespaces: [...namespaces.values()] }
}

/** One statement, so that all is of one moment. Without repositories it gives one row, whose columns are null. */
export async function readQuotas(
  tables: Reading,
  storage: StorageName,
  after = '',
): Promise<QuotaPage> {
  const page = tables
    .selectFrom('repositories')
    .innerJoin('namespaces', 'namespaces.id', 'repositories.namespace_id')
    .select(['repositories.uid as repository', 'namespaces.id as namespace'])
    .select(['repositories.quota_bytes as bytes', 'namespaces.quota_bytes as namespaceBytes'])
    .where('repositories.uid', '>', after as RepositoryUid)
    .where(isOnStorage(storage))
    .orderBy('repositories.uid')
    .limit(maxRepositories + 1)
  const rows = await tables
    .selectFrom('journal_head as head')
    .leftJoin(page.as('page'), (join) => join.onTrue())
    .select('head.number')
    .select(['page.repository', 'page.namespace', 'page.bytes', 'page.namespaceBytes'])
    .orderBy('page.repository')
    .execute()
  const some = rows.slice(0, maxRepositories)
  const next = rows.length > maxRepositories ? some.at(-1)?.repository : undefined
  const states = statesIn(rows[0]?.number ?? 0, some)
  return next == null ? states : { ...states, next }
}
