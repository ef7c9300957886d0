/** Retention: removes entries that are older than the operator keeps them. */

import { isRefusal } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { Directory, Tables } from '../tables/directory.ts'

const millisecondsPerDay = 24 * 60 * 60 * 1000

/** Few enough that no writer waits long. */
const entriesAtOnce = 1000

/** Gives how many entries are gone. The newest stays, whatever its age: the next one names it as its previous. */
export async function pruneJournal(
  directory: Directory,
  { days, nowMs }: { readonly days: number; readonly nowMs: number },
): Promise<number> {
  const oldestKept = nowMs - days * millisecondsPerDay
  let removed = 0
  for (;;) {
    const some = await directory.note('journal retention', ({ tables }) =>
      pruneSome(tables, oldestKept),
    )
    if (isRefusal(some) || some === 0) return removed
    removed += some
  }
}

async function pruneSome(tables: Tables, oldestKept: number): Promise<number> {
  const rows = await tables
    .selectFrom('journal')
    .select(['number', 'at_milliseconds'])
    .where('number', '<', sql<number>`(select number from journal_head)`)
    .orderBy('number')
    .limit(entriesAtOnce)
    .execute()
  // From the beginning on, without gaps: a clock that was set back must not tear a hole.
  const young = rows.findIndex(({ at_milliseconds }) => at_milliseconds >= oldestKept)
  const last = rows.at(young === -1 ? rows.length - 1 : young - 1)
  if (young === 0 || last === undefined) return 0
  await tables.deleteFrom('journal').where('number', '<=', last.number).execute()
  await tables.updateTable('journal_head').set({ pruned_through: last.number }).execute()
  return young === -1 ? rows.length : young
}
