/** Reads from the journal what a storage has to follow: removals, and how far they were read. */

import { type JournalNumber, type Refusal, refuse, type StorageName } from '@latchkey/protocol'
import { findHead } from '../journal/read-journal.ts'
import type { Reading } from '../tables/directory.ts'

export interface LinkChanges {
  readonly number: number
  readonly removed: readonly string[]
  readonly complete: boolean
}

/** How many entries one answer looks at: the event loop waits for the database. */
export const maxEntries = 250

/** Longer than a storage token lives and its upload may take, in milliseconds as the numbers are. */
const maxUse = 50 * 3600 * 1000

/**
 * Removals of other storages are left out, and the number passes their entries all the same. Without `after`, a storage asks for the first time: it gets the
 * removals for which tokens can still be in use.
 */
export async function readChanges(
  tables: Reading,
  storage: StorageName,
  after: number | undefined,
): Promise<LinkChanges | Refusal> {
  const rows = await readAfter(tables, after ?? (await findHead(tables)).number - maxUse)
  const { head, pruned, isEntry } = rows[0] ?? noHead()
  const isKnown = after === undefined || after === pruned || (after > pruned && isEntry === 1)
  if (!isKnown) return cursorUnknown(head)
  return {
    number: rows.at(-1)?.number ?? head,
    removed: rows.flatMap((row) =>
      row.did === 'deleted' && row.storage === storage ? (row.removed ?? []) : [],
    ),
    complete: rows.length < maxEntries,
  }
}

/** One statement, so that head, cursor and entries are of one moment. Without entries it gives one row, whose entry is null. */
function readAfter(tables: Reading, after: number) {
  const entries = tables
    .selectFrom('journal')
    .select(['number', 'did', 'storage'])
    .select(({ case: choose, ref }) =>
      choose('thing')
        .when('repository')
        .then(ref('repository_uid'))
        .when('ref')
        .then(ref('ref_uid'))
        .end()
        .as('removed'),
    )
    .where('number', '>', after)
    .orderBy('number')
    .limit(maxEntries)
  return tables
    .selectFrom('journal_head as head')
    .leftJoin(entries.as('entry'), (join) => join.onTrue())
    .select(['head.number as head', 'head.pruned_through as pruned'])
    .select(['entry.number', 'entry.did', 'entry.storage', 'entry.removed'])
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
