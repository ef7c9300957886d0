/** Reads from the journal what a storage has to follow: removals, and how far they were read. */

import { type JournalNumber, type Refusal, refuse, type StorageName } from '@latchkey/protocol'
import { type SqlBool, sql } from 'kysely'
import { findHead } from '../journal/read-journal.ts'
import type { Reading } from '../tables/directory.ts'
import { isOnStorage, type QuotaStates, statesIn } from './quota-states.ts'

export interface LinkChanges {
  readonly number: number
  readonly removed: readonly string[]
  readonly complete: boolean
  /** The quotas of repositories and namespaces that changed, if any did. */
  readonly quotas?: QuotaStates
}

/** How many entries one answer looks at: the event loop waits for the database. */
export const maxEntries = 250

/** Longer than a storage token lives and its upload may take, in milliseconds as the numbers are. */
const maxUse = 50 * 3600 * 1000

/**
 * Removals of other storages are left out, and the number passes their entries all the same. Without `after`, a storage asks for the first time: it gets the
 * removals for which tokens can still be in use, and then asks for all quotas.
 */
export async function readChanges(
  tables: Reading,
  storage: StorageName,
  after: number | undefined,
): Promise<LinkChanges | Refusal> {
  const rows = await readAfter(tables, storage, after ?? (await findHead(tables)).number - maxUse)
  const { head, pruned, isEntry } = rows[0] ?? noHead()
  const isKnown = after === undefined || after === pruned || (after > pruned && isEntry === 1)
  if (!isKnown) return cursorUnknown(head)
  const changed = rows.filter(
    (row) => row.namespace !== null && (row.repository === null || row.isHere === 1),
  )
  return {
    ...(after !== undefined && changed.length > 0 && { quotas: statesIn(head, changed) }),
    number: rows.at(-1)?.number ?? head,
    removed: rows.flatMap((row) =>
      row.did === 'deleted' && row.storage === storage ? (row.removed ?? []) : [],
    ),
    complete: rows.length < maxEntries,
  }
}

/** One statement, so that head, cursor and entries are of one moment. Without entries it gives one row, whose entry is null. */
function readAfter(tables: Reading, storage: StorageName, after: number) {
  const entries = tables
    .selectFrom('journal')
    .leftJoin('repositories', (join) =>
      join
        .onRef('repositories.uid', '=', 'journal.repository_uid')
        .on('journal.thing', '=', 'repository'),
    )
    .leftJoin('namespaces', (join) =>
      join
        .on('journal.thing', 'in', ['repository', 'namespace'])
        .on(
          sql<SqlBool>`namespaces.id = coalesce(repositories.namespace_id, journal.namespace_id)`,
        ),
    )
    .select(['journal.number', 'journal.did', 'journal.storage'])
    .select(['repositories.uid as repository', 'namespaces.id as namespace'])
    .select(['repositories.quota_bytes as bytes', 'namespaces.quota_bytes as namespaceBytes'])
    .select(sql<number>`case when ${isOnStorage(storage)} then 1 else 0 end`.as('isHere'))
    .select(({ case: choose, ref }) =>
      choose('thing')
        .when('repository')
        .then(ref('repository_uid'))
        .when('ref')
        .then(ref('ref_uid'))
        .end()
        .as('removed'),
    )
    .where('journal.number', '>', after)
    .orderBy('journal.number')
    .limit(maxEntries)
  return tables
    .selectFrom('journal_head as head')
    .leftJoin(entries.as('entry'), (join) => join.onTrue())
    .select(['head.number as head', 'head.pruned_through as pruned'])
    .select(['entry.number', 'entry.did', 'entry.storage', 'entry.removed'])
    .select(['entry.repository', 'entry.namespace', 'entry.bytes', 'entry.namespaceBytes'])
    .select('entry.isHere')
    .select(({ selectFrom }) =>
      selectFrom('journal')
        .where('journal.number', '=', after)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('isEntry'),
    )
    .orderBy('entry.number')
    .execute()
}

function noHead(): never {
  throw new Error('the journal has no head')
}

/** Numbers are never used twice, so this one is of a journal that a restored backup has replaced, or was pruned. */
function cursorUnknown(head: number): Refusal {
  return refuse(
    'cursor_unknown',
    `The journal, which ends at ${head}, does not have the entry that after names: its retention has removed it, or a restored backup has replaced the journal. Compare what the storage has with the directory: latchkey storage reconcile.`,
    { path: 'after', number: head as JournalNumber },
  )
}
