/**
 * Locks of a change, on PostgreSQL. On SQLite only one change runs at a time anyway.
 *
 * A change takes all its locks at once, before anything else, and in one order: the link, the sweep, a namespace, then
 * repositories, then an account, then objects, each sorted. So no two changes wait for each other. Rows are locked behind these, of one's own repository alone; the
 * totals of several repositories are only touched under the locks of all of them.
 *
 * - link: shared by writers of content, exclusive for changes of the numbers or of tombstones. So a stamp is
 *   never below a number that a token has named before the row could be seen, and no row comes into a removed place.
 * - sweep: one process at a time deletes rows of removed places.
 * - namespace: one change at a time of the repositories of a namespace with a quota, so that this is exact. The quotas
 *   change under the link alone.
 * - repository: one change at a time. So quotas are exact, positions of files rise in the order of commits, and maintenance
 *   finds every file that uses a xorb.
 * - account: one grant of an account at a time, in whichever repository. So what it has in flight is exact.
 * - object: one upload at a time names an object of these bytes, or the removal of its name.
 *
 * They end with the transaction, so that they work behind a pooler, and are granted in the order in which they were asked
 * for: a change that waits for the link alone is not overtaken by uploads for ever.
 */

import type { RepositoryUid } from '@latchkey/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Digest } from '../objects/object-store.ts'
import { columnList, isPostgres, texts } from './dialect.ts'
import { namespaceWithQuota } from './quota-states.ts'
import type { StorageTables } from './schema.ts'

type Mode = 'shared' | 'alone'

export interface HeldLocks {
  readonly link?: Mode
  readonly sweep?: true
  /** The namespace of this repository alone, if it has a quota. */
  readonly namespaceOf?: RepositoryUid
  /** Each alone. */
  readonly repositories?: readonly RepositoryUid[]
  /** Alone. */
  readonly account?: string | undefined
  /** Each alone, by the digest of its bytes. */
  readonly objects?: readonly Digest[]
}

/** Once in a change, and first. */
export async function hold(
  tables: StorageTables,
  { link, sweep, namespaceOf, repositories = [], account, objects = [] }: HeldLocks,
): Promise<void> {
  if (!isPostgres(tables)) return
  if (link !== undefined) await lock(tables, { kind: 'link', names: [''], mode: link })
  if (sweep) await lock(tables, { kind: 'sweep', names: [''], mode: 'alone' })
  if (namespaceOf !== undefined) await lockNamespace(tables, namespaceOf)
  await lock(tables, { kind: 'repository', names: repositories, mode: 'alone' })
  if (account !== undefined) {
    await lock(tables, { kind: 'account', names: [account], mode: 'alone' })
  }
  await lock(tables, { kind: 'object', names: objects, mode: 'alone' })
}

const functions: Record<Mode, RawBuilder<unknown>> = {
  shared: sql`pg_advisory_xact_lock_shared`,
  alone: sql`pg_advisory_xact_lock`,
}

interface Wanted {
  readonly kind: 'link' | 'sweep' | 'repository' | 'account' | 'object'
  readonly names: readonly string[]
  readonly mode: Mode
}

async function lockNamespace(tables: StorageTables, repositoryUid: RepositoryUid): Promise<void> {
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended('latchkey_storage namespace ' || held.name, 0))
    FROM (${namespaceWithQuota(repositoryUid)}) AS held`.execute(tables)
}

/** The server goes through the list from its beginning, and so takes the locks in its order. */
async function lock(tables: StorageTables, { kind, names, mode }: Wanted): Promise<void> {
  if (names.length === 0) return
  const sorted = [...new Set(names)].sort()
  await sql`
    SELECT ${functions[mode]}(hashtextextended('latchkey_storage ' || ${kind} || ' ' || held.name, 0))
    FROM ${columnList(tables, 'held', { name: texts(sorted) })}`.execute(tables)
}
