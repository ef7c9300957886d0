/** Appends entries to the journal: numbers rise with every entry, and with the clock. */

import { randomInt } from 'node:crypto'
import { type HubTokenOrigin, type JournalNumber, journalNumber } from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import type { JournaledChange, Origin } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Tables } from '../tables/directory.ts'
import { entryOf } from './entry-of.ts'

/** Longer statements take longer for each entry. */
const entriesPerStatement = 50

/** In milliseconds since 1970. */
export type Now = () => number

/** When a transaction began. All its entries have the one time, so that no number is below its time. */
export interface Beginning {
  /** The time by the clock, also where journal numbers are ahead of it. */
  readonly milliseconds: number
  /** The number of its first entry. */
  readonly number: JournalNumber
}

/**
 * The first statement of every change: it locks the one row, so that no other transaction takes the number. A clock that was
 * set back does not turn it back. Numbers of entries that were lost, up to `above`, are not used again.
 */
export async function beginNumbers(tables: Tables, now: Now, above: number): Promise<Beginning> {
  const { number: head } = await tables
    .updateTable('journal_head')
    .set((row) => ({ number: row.ref('number') }))
    .returning('number')
    .executeTakeFirstOrThrow()
  const milliseconds = now()
  return { milliseconds, number: journalNumber(Math.max(head + 1, milliseconds, above + 1)) }
}

export async function appendEntries(
  tables: Tables,
  changes: readonly JournaledChange[],
  { origin, beginning }: { readonly origin: Origin; readonly beginning: Beginning },
): Promise<void> {
  const at_milliseconds = beginning.milliseconds
  const { head, first } = await takeNumbers(tables, changes, beginning)
  let previous = head
  let number = first
  for (const [index, chunk] of chunked(changes, entriesPerStatement).entries()) {
    await yieldInLoop(index * entriesPerStatement)
    const rows = chunk.map((change) => {
      const row = { ...entryOf(change, origin), number, previous, at_milliseconds }
      previous = number
      number += 1
      return row
    })
    await tables.insertInto('journal').values(rows).execute()
  }
}

/** The first entries of a transaction begin at its number, later ones go on from there. */
async function takeNumbers(
  tables: Tables,
  changes: readonly JournaledChange[],
  { number }: Beginning,
): Promise<{ head: number; first: number }> {
  const head = await lastNumber(tables)
  const first = Math.max(head + 1, number)
  const last = first + changes.length - 1
  const mark = changes.every(leavesFacts) ? {} : { mark: newMark() }
  await tables
    .updateTable('journal_head')
    .set({ number: last, is_open: 1, ...mark })
    .execute()
  return { head, first }
}

/**
 * Whether caches stay correct without a new mark: a sign-in or an exchange adds a hub token whose secret nobody had
 * before. Negative answers are another matter: caches drop those at every new number.
 */
function leavesFacts(change: JournaledChange): boolean {
  if (change.thing !== 'hub-token' || change.before !== undefined) return false
  return change.after !== undefined && quietOrigins.includes(change.after.origin)
}

/** An administrator's hub token is made seldom, and may take a secret that was used before. */
const quietOrigins: readonly HubTokenOrigin[] = ['session', 'device', 'ci', 'self']

/** From one row that outlives every entry. */
async function lastNumber(tables: Tables): Promise<number> {
  const { number } = await tables
    .selectFrom('journal_head')
    .select('number')
    .executeTakeFirstOrThrow()
  return number
}

/** Called when the rows of the entries are written. */
export async function closeJournal(tables: Tables): Promise<void> {
  await tables.updateTable('journal_head').set({ is_open: 0 }).execute()
}

/** No two changes of facts have the same: caches compare it, also where a number comes twice. */
function newMark(): number {
  return randomInt(2 ** 48 - 1)
}
