/** Quotas of namespaces and repositories: who sets which, and what the sum may be. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { NamespaceRow, RepositoryRow } from '../tables/rows.ts'
import type { Changing } from './does.ts'

export interface QuotaWish {
  /** Null is none. */
  readonly bytes: number | null
}

export function changedQuota(
  { quota_bytes }: Pick<RepositoryRow, 'quota_bytes'>,
  wish: QuotaWish | undefined,
): number | null {
  return wish === undefined ? quota_bytes : wish.bytes
}

/** The sum of the quotas of its repositories, by the id of the namespace. */
export type DividedBytes = ReadonlyMap<string, number>

export const noneDivided: DividedBytes = new Map()

export async function dividedBytes(
  tables: Reading,
  namespaces: readonly NamespaceRow[],
): Promise<DividedBytes> {
  const sums = new Map<string, number>()
  const ids = namespaces.filter(({ quota_bytes }) => quota_bytes !== null).map(({ id }) => id)
  for (const some of chunked(ids)) {
    const rows = await tables
      .selectFrom('repositories')
      .select(({ fn }) => ['namespace_id', fn.sum<number | string>('quota_bytes').as('bytes')])
      .where('namespace_id', 'in', some)
      .where('quota_bytes', 'is not', null)
      .groupBy('namespace_id')
      .execute()
    for (const { namespace_id, bytes } of rows) sums.set(namespace_id, Number(bytes))
  }
  return sums
}

/** Security boundary: an administrator of a namespace divides its quota, and changes no other limit. */
export async function refuseQuota(
  { tables, actor }: Changing,
  namespace: NamespaceRow,
  after: RepositoryRow,
  before?: RepositoryRow,
): Promise<Refusal | undefined> {
  const had = before?.quota_bytes ?? null
  if (after.quota_bytes === had) return undefined
  if (actor?.namespaces !== undefined && namespace.quota_bytes === null) {
    return nothingToDivide(namespace)
  }
  // Less is no mistake where the sum was too much before.
  if ((after.quota_bytes ?? 0) < (had ?? 0)) return undefined
  const sum = (await dividedBytes(tables, [namespace])).get(namespace.id) ?? 0
  return refuseOverdivided(namespace, sum - (had ?? 0) + (after.quota_bytes ?? 0))
}

export function refuseOverdivided(
  { name, quota_bytes }: NamespaceRow,
  divided = 0,
): Refusal | undefined {
  if (quota_bytes === null || divided <= quota_bytes) return undefined
  return refuse(
    'conflict',
    `The namespace "${name}" has a quota of ${quota_bytes} bytes, and the quotas of its repositories would be ${divided} bytes together. Lower the quota of a repository, or ask an administrator of the hub for a larger quota.`,
    { next: ['repo', 'list', '--namespace', name] },
  )
}

function nothingToDivide({ name }: NamespaceRow): Refusal {
  return refuse(
    'permission_denied',
    `The namespace "${name}" has no quota that you can divide among its repositories. Ask an administrator of the hub to set one.`,
    { missing: `a quota of the namespace ${name}` },
  )
}
