/** Takes a database for a copy: an empty one, or one in which an earlier run was cut off. */

import type { Tables } from '../../directory/port/directory.ts'
import { keyOf, type TableName, tableNames } from '../../directory/port/table-columns.ts'
import { CopyRefused, type CopyTarget } from './copy-side.ts'
import { anyTable, type Key } from './pages.ts'
import { findMark, markName, ofTheDatabase } from './unfinished-copy.ts'

/** Which moment of the source is copied: another number or mark is another moment. */
export interface Moment {
  readonly number: number
  readonly mark: number
}

/** Kept in the target's settings. Every page is written together with the mark that comes after it. */
export interface Mark extends Moment {
  /** Another run has another one, and ends this run. */
  readonly run: string
  readonly step: number
  /** The last key that is copied in this step. */
  readonly after: Key | null
}

export interface Begun {
  readonly mark: Mark
  readonly isResumed: boolean
}

export function beginCopy(target: CopyTarget, moment: Moment, run: string): Promise<Begun> {
  return inChange(target, async (tables) => {
    const found = await findMark(tables)
    const earlier = found === undefined ? undefined : (JSON.parse(found) as Mark)
    if (earlier === undefined) await refuseUsed(tables, target.place)
    if (earlier?.number === moment.number && earlier.mark === moment.mark) {
      const mark = { ...earlier, run }
      await putMark(tables, mark)
      return { mark, isResumed: true }
    }
    return { mark: await beginAnew(tables, moment, run), isResumed: false }
  })
}

export function beginAgain(target: CopyTarget, mark: Mark): Promise<Mark> {
  return inChange(target, async (tables) => {
    await advance(tables, mark, mark)
    return beginAnew(tables, mark, mark.run)
  })
}

/** Nobody but this run has written since: the mark is still as this run left it. */
export async function advance(tables: Tables, from: Mark, to: Mark): Promise<void> {
  const { numUpdatedRows } = await tables
    .updateTable('settings')
    .set({ value: JSON.stringify(to) })
    .where('name', '=', markName)
    .where('value', '=', JSON.stringify(from))
    .executeTakeFirst()
  if (Number(numUpdatedRows) === 1) return
  throw new CopyRefused('another "latchkey migrate" has taken over this copy; let that one finish')
}

/**
 * One transaction, which a copy never refuses by a value. It waits for what a run that was killed has left at the server,
 * so that the mark is the last one.
 */
export async function inChange<Result>(
  target: CopyTarget,
  work: (tables: Tables) => Promise<Result>,
): Promise<Result> {
  let result: { readonly is: Result } | undefined
  await target.change(async (tables) => {
    await lockHead(tables)
    result = { is: await work(tables) }
  })
  if (result === undefined) throw new Error('a change without a result')
  return result.is
}

/** As every change of a hub does first. */
async function lockHead(tables: Tables): Promise<void> {
  await tables
    .updateTable('journal_head')
    .set((row) => ({ number: row.ref('number') }))
    .execute()
}

async function beginAnew(tables: Tables, moment: Moment, run: string): Promise<Mark> {
  // The triggers that keep past holders look for the repository of a ref, so repositories go first.
  const order: readonly TableName[] = ['repositories', ...tableNames.toReversed()]
  for (const table of order) {
    if (table !== 'journal_head') await anyTable(tables).deleteFrom(table).execute()
  }
  // An open head keeps its mark, however many rows are written.
  await tables.updateTable('journal_head').set({ is_open: 1 }).execute()
  const mark: Mark = { run, number: moment.number, mark: moment.mark, step: 0, after: null }
  await putMark(tables, mark)
  return mark
}

async function putMark(tables: Tables, mark: Mark): Promise<void> {
  const value = JSON.stringify(mark)
  await tables
    .insertInto('settings')
    .values({ name: markName, value })
    .onConflict((row) => row.column('name').doUpdateSet({ value }))
    .execute()
}

/** A directory that has only been opened, and has no keys yet, counts as empty. */
async function refuseUsed(tables: Tables, place: string): Promise<void> {
  for (const table of tableNames) {
    if (table === 'journal_head') continue
    let query = anyTable(tables)
      .selectFrom(table)
      .select([...keyOf(table)])
      .limit(1)
    if (table === 'settings') query = query.where('name', 'not in', ofTheDatabase)
    if (table === 'journal') query = query.where('thing', 'not in', ['journal', 'hub'])
    if ((await query.executeTakeFirst()) === undefined) continue
    throw new CopyRefused(
      `${place} is not empty (there are rows in ${table}): nothing is overwritten. Name an empty database.`,
    )
  }
}
