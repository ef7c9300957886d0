/** Appends entries to the journal: numbers rise with every entry, and with the clock. */

import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Change, Origin } from '../directory/port/change.ts'
import { chunked } from '../directory/port/columns.ts'
import type { Tables } from '../directory/port/directory.ts'
import { yieldToEventLoop } from '../directory/port/yield-to-event-loop.ts'
import { entryOf } from './entry-of.ts'

/** Longer statements take longer for each entry. */
const entriesPerStatement = 50

/** In milliseconds since 1970. */
export type Now = () => number

export async function appendEntries(
  tables: Tables,
  changes: readonly Change[],
  { origin, now }: { readonly origin: Origin; readonly now: Now },
): Promise<void> {
  const at_milliseconds = now()
  const { head, first } = await takeNumbers(tables, changes.length, at_milliseconds)
  let previous = head
  let number = first
  for (const [index, chunk] of chunked(changes, entriesPerStatement).entries()) {
    await yieldToEventLoop(index * entriesPerStatement)
    const rows = chunk.map((change) => {
      const row = { ...entryOf(change, origin), number, previous, at_milliseconds }
      previous = number
      number += 1
      return row
    })
    await tables.insertInto('journal').values(rows).execute()
  }
}

/** From one row that outlives every entry. A clock that was set back does not turn the numbers back. */
async function takeNumbers(
  tables: Tables,
  count: number,
  milliseconds: number,
): Promise<{ head: number; first: number }> {
  const { number: head } = await tables
    .selectFrom('journal_head')
    .select('number')
    .executeTakeFirstOrThrow()
  const first = Math.max(head + 1, milliseconds)
  await sql`update journal_head set number = ${first + count - 1}, is_open = 1, mark = ${newMark()}`.execute(
    tables,
  )
  return { head, first }
}

/** Called when the rows of the entries are written. */
export async function closeJournal(tables: Tables): Promise<void> {
  await sql`update journal_head set is_open = 0`.execute(tables)
}

/** No two changes have the same, so that a number which comes twice does not look like the one before. */
function newMark(): number {
  return randomInt(2 ** 48 - 1)
}
