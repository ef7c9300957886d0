import { isRefusal, type JournalNumber, journalNumber } from '@latchkey/protocol'
import { cutOffLifeSeconds } from '@latchkey/token'
import { sql } from 'kysely'
import type { Directory, Reading, Tables } from '../tables/directory.ts'
import type { Schema } from '../tables/schema.ts'

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

/** Few enough that no writer waits long. */
const rowsAtOnce = 1000

/** Gives how many are gone. A key that was taken back stays so for ever. Where none is old enough, no writer has to wait. */
export async function pruneCutOffs(directory: Directory, nowMs: number): Promise<number> {
  const oldestKept = journalNumber(Math.max(0, nowMs - cutOffLifeSeconds * 1000))
  let removed = 0
  for (;;) {
    const old = await directory.read((tables) => findOld(tables, oldestKept))
    if (old.length === 0) return removed
    await directory.note('cut-off retention', ({ tables }) => remove(tables, old, oldestKept))
    removed += old.length
  }
}

type Place = Pick<Schema['cut_offs'], 'kind' | 'id'>

function findOld(tables: Reading, oldestKept: JournalNumber): Promise<readonly Place[]> {
  return tables
    .selectFrom('cut_offs')
    .select(['kind', 'id'])
    .where('made', '<', oldestKept)
    .where('kind', '!=', 'key')
    .orderBy('made')
    .limit(rowsAtOnce)
    .execute()
}

/** Not one that was cut again meanwhile. */
async function remove(
  tables: Tables,
  old: readonly Place[],
  oldestKept: JournalNumber,
): Promise<void> {
  for (const { kind, id } of old) {
    await tables
      .deleteFrom('cut_offs')
      .where('kind', '=', kind)
      .where('id', '=', id)
      .where('made', '<', oldestKept)
      .execute()
  }
}
