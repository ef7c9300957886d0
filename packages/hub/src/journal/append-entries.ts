/** Appends entries to the journal: numbers rise with every entry, and with the clock. */

import { sql } from 'kysely'
import { chunked, rowsPerStatement } from '../directory/port/columns.ts'
import type { Tables } from '../directory/port/directory.ts'
import { yieldToEventLoop } from '../directory/port/yield-to-event-loop.ts'
import type { Entry } from './entry-of.ts'

/** In milliseconds since 1970. */
export type Now = () => number

export async function appendEntries(
  tables: Tables,
  entries: readonly Entry[],
  now: Now,
): Promise<void> {
  if (entries.length === 0) return
  const at_milliseconds = now()
  const { previous, first } = await takeNumbers(tables, entries.length, at_milliseconds)
  const rows = entries.map((entry, index) => {
    const number = first + index
    return { ...entry, number, previous: index === 0 ? previous : number - 1, at_milliseconds }
  })
  for (const [index, chunk] of chunked(rows).entries()) {
    await yieldToEventLoop(index * rowsPerStatement)
    await tables.insertInto('journal').values(chunk).execute()
  }
}

/** From one row that outlives every entry. A clock that was set back does not turn the numbers back. */
async function takeNumbers(
  tables: Tables,
  count: number,
  milliseconds: number,
): Promise<{ previous: number; first: number }> {
  const { number: previous } = await tables
    .selectFrom('journal_head')
    .select('number')
    .executeTakeFirstOrThrow()
  const first = Math.max(previous + 1, milliseconds)
  await sql`update journal_head set number = ${first + count - 1}`.execute(tables)
  return { previous, first }
}
