/** The quotas that the hub gives to repositories and namespaces, as far as the storage has heard. */

import type { QuotaStates } from '@latchkey/gate/hub-link'
import type { RepositoryUid } from '@latchkey/protocol'
import { type RawBuilder, sql } from 'kysely'
import { inBatches } from './batches.ts'
import { columnList, numbers, texts } from './dialect.ts'
import type { StorageTables } from './schema.ts'

/** Answers may come in any order: an older state does not replace a newer one. The caller holds the link alone. */
export async function writeQuotas(
  tables: StorageTables,
  { number, repositories, namespaces }: QuotaStates,
): Promise<void> {
  for (const some of inBatches(repositories)) {
    const list = columnList(tables, 'listed', {
      uid: texts(some.map(({ repository }) => repository)),
      namespace: texts(some.map(({ namespace }) => namespace)),
      bytes: numbers(some.map(({ bytes }) => bytes ?? undefined)),
    })
    await sql`
      INSERT INTO repository_quotas (repository_uid, namespace, bytes, number)
      SELECT listed.uid, listed.namespace, listed.bytes, ${sql.lit(number)} FROM ${list} WHERE true
      ON CONFLICT (repository_uid) DO UPDATE
      SET namespace = excluded.namespace, bytes = excluded.bytes, number = excluded.number
      WHERE ${isNewer('repository_quotas')}`.execute(tables)
  }
  for (const some of inBatches(namespaces)) {
    const uncounted = await withoutQuota(tables, some)
    const list = columnList(tables, 'listed', {
      namespace: texts(some.map(({ namespace }) => namespace)),
      bytes: numbers(some.map(({ bytes }) => bytes ?? undefined)),
    })
    await sql`
      INSERT INTO namespace_quotas (namespace, bytes, number)
      SELECT listed.namespace, listed.bytes, ${sql.lit(number)} FROM ${list} WHERE true
      ON CONFLICT (namespace) DO UPDATE SET bytes = excluded.bytes, number = excluded.number
      WHERE ${isNewer('namespace_quotas')}`.execute(tables)
    for (const namespace of uncounted) await count(tables, namespace)
  }
}

type NamespaceStates = QuotaStates['namespaces']

/** Namespaces that have no quota yet and get one. */
async function withoutQuota(
  tables: StorageTables,
  states: NamespaceStates,
): Promise<readonly string[]> {
  const namespaces = states.filter(({ bytes }) => bytes !== null).map(({ namespace }) => namespace)
  if (namespaces.length === 0) return []
  const rows = await tables
    .selectFrom('namespace_quotas')
    .select('namespace')
    .where('namespace', 'in', namespaces)
    .where('bytes', 'is not', null)
    .execute()
  const counted = new Set(rows.map(({ namespace }) => namespace))
  return namespaces.filter((namespace) => !counted.has(namespace))
}

/** From here on the database counts by itself: with thousands of repositories, a sum would stop others at every write. */
async function count(tables: StorageTables, namespace: string): Promise<void> {
  const repositories = sql`(SELECT repository_uid FROM repository_quotas WHERE namespace = ${namespace}) AS q`
  const isProposed = sql`x.ref_uid > q.repository_uid || '.' AND x.ref_uid < q.repository_uid || '/'`
  // Joined crosswise, so that SQLite looks each repository up by the beginning of the key.
  await sql`
    UPDATE namespace_quotas SET
      held = (SELECT coalesce(sum(t.bytes), 0) FROM ${repositories}
        JOIN stored_totals AS t ON t.repository_uid = q.repository_uid),
      proposed = (SELECT coalesce(sum(bytes), 0) FROM (
        SELECT x.packed_bytes AS bytes FROM ${repositories}
          CROSS JOIN stored_xorbs AS x WHERE ${isProposed}
        UNION ALL
        SELECT length(x.terms) FROM ${repositories}
          CROSS JOIN stored_files AS x WHERE ${isProposed}) AS proposals)
    WHERE namespace = ${namespace}`.execute(tables)
}

function isNewer(table: string): RawBuilder<unknown> {
  return sql`excluded.number >= ${sql.ref(`${table}.number`)}`
}

/** Another journal may have lower numbers, so that its states would look older. */
export async function forgetQuotas(tables: StorageTables): Promise<void> {
  await tables.deleteFrom('namespace_quotas').execute()
  await tables.deleteFrom('repository_quotas').execute()
}

/** The namespace of a repository, where it has a quota. */
export function namespaceWithQuota(repositoryUid: RepositoryUid): RawBuilder<unknown> {
  return sql`
    SELECT n.namespace AS name
    FROM repository_quotas AS q JOIN namespace_quotas AS n ON n.namespace = q.namespace
    WHERE q.repository_uid = ${repositoryUid} AND n.bytes IS NOT NULL`
}

export interface HubQuota {
  /** Undefined is none. */
  readonly bytes: number | undefined
  /** Undefined if its namespace has none. */
  readonly namespace: { readonly id: string; readonly bytes: number } | undefined
}

export async function hubQuotaOf(
  tables: StorageTables,
  repositoryUid: RepositoryUid,
): Promise<HubQuota> {
  const row = await tables
    .selectFrom('repository_quotas as q')
    .leftJoin('namespace_quotas as n', 'n.namespace', 'q.namespace')
    .select(['q.namespace', 'q.bytes', 'n.bytes as namespaceBytes'])
    .where('q.repository_uid', '=', repositoryUid)
    .executeTakeFirst()
  const { namespaceBytes = null } = row ?? {}
  return {
    bytes: row?.bytes ?? undefined,
    namespace:
      row === undefined || namespaceBytes === null
        ? undefined
        : { id: row.namespace, bytes: namespaceBytes },
  }
}

export interface HeldBytes {
  readonly held: number
  /** The part that uploads and pull requests by accounts that may not write have. */
  readonly proposed: number
}

/** By all repositories of a namespace with a quota. */
export function heldInNamespace(tables: StorageTables, namespace: string): Promise<HeldBytes> {
  return tables
    .selectFrom('namespace_quotas')
    .select(['held', 'proposed'])
    .where('namespace', '=', namespace)
    .executeTakeFirstOrThrow()
}

/** Bytes that clients may put into the store, or have put there and not committed. */
export async function grantedInNamespace(
  tables: StorageTables,
  namespace: string,
): Promise<number> {
  // There are few grants, and may be many repositories.
  const { rows } = await sql<{ bytes: number | null }>`
    SELECT sum(g.bytes) AS bytes FROM xorb_grants AS g
    CROSS JOIN repository_quotas AS q
    WHERE g.state IN ('open', 'refused')
      AND q.repository_uid = g.repository_uid AND q.namespace = ${namespace}`.execute(tables)
  return Number(rows[0]?.bytes ?? 0)
}
