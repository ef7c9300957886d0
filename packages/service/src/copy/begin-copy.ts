/** Takes a database for a copy: an empty one, or one in which an earlier run was cut off. */

import { unfinishedMark } from '../database/unfinished-mark.ts'
import { type CopiedTables, keyNames, tableNames } from './copied-tables.ts'
import { type AnyTables, CopyRefused, type CopyTarget } from './copy-side.ts'
import { type Key, ofTheDatabase } from './pages.ts'
import { findMark } from './unfinished-copy.ts'

/** Kept in the target's settings. Every page is written together with the mark that comes after it. */
export interface Mark {
  /** Another run has another one, and ends this run. */
  readonly run: string
  /** Which moment of the source is copied: another text is another moment. */
  readonly moment: string
  readonly step: number
  /** The last key that is copied in this step. */
  readonly after: Key | null
}

export interface Begun {
  readonly mark: Mark
  readonly isResumed: boolean
}

export interface Into {
  readonly copied: CopiedTables
  readonly target: CopyTarget
}

export function beginCopy(into: Into, moment: string, run: string): Promise<Begun> {
  return inChange(into, async (tables) => {
    const found = await findMark(tables)
    const earlier = found === undefined ? undefined : (JSON.parse(found) as Mark)
    if (earlier === undefined) await refuseUsed(tables, into)
    if (earlier?.moment === moment) {
      const mark = { ...earlier, run }
      await putMark(tables, mark)
      return { mark, isResumed: true }
    }
    return { mark: await beginAnew(tables, into, { moment, run }), isResumed: false }
  })
}

export function beginAgain(into: Into, mark: Mark): Promise<Mark> {
  return inChange(into, async (tables) => {
    await advance(tables, mark, mark)
    return beginAnew(tables, into, mark)
  })
}

/** The mark is still as this run left it, so no other process has written since. */
export async function advance(tables: AnyTables, from: Mark, to: Mark): Promise<void> {
  const { numUpdatedRows } = await tables
    .updateTable('settings')
    .set({ value: JSON.stringify(to) })
    .where('name', '=', unfinishedMark)
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
  { copied, target }: Into,
  work: (tables: AnyTables) => Promise<Result>,
): Promise<Result> {
  let result: { readonly is: Result } | undefined
  await target.change(async (tables) => {
    await lockHead(tables, copied)
    result = { is: await work(tables) }
  })
  if (result === undefined) throw new Error('a change without a result')
  return result.is
}

/** As every change of a hub does first. */
async function lockHead(tables: AnyTables, { head }: CopiedTables): Promise<void> {
  await tables
    .updateTable(head.table)
    .set((row) => ({ [head.column]: row.ref(head.column) }))
    .execute()
}

async function beginAnew(
  tables: AnyTables,
  { copied }: Into,
  { moment, run }: Pick<Mark, 'moment' | 'run'>,
): Promise<Mark> {
  const { emptiedFirst, head, headMeanwhile } = copied
  const first = emptiedFirst === undefined ? [] : [emptiedFirst]
  for (const table of [...first, ...tableNames(copied).toReversed()]) {
    await tables.deleteFrom(table).execute()
  }
  if (headMeanwhile !== undefined) {
    await tables.updateTable(head.table).set(headMeanwhile).execute()
  }
  const mark: Mark = { run, moment, step: 0, after: null }
  await putMark(tables, mark)
  return mark
}

async function putMark(tables: AnyTables, mark: Mark): Promise<void> {
  const value = JSON.stringify(mark)
  await tables
    .insertInto('settings')
    .values({ name: unfinishedMark, value })
    .onConflict((row) => row.column('name').doUpdateSet({ value }))
    .execute()
}

/** A database that has only been opened counts as empty. */
async function refuseUsed(tables: AnyTables, { copied, target }: Into): Promise<void> {
  for (const table of tableNames(copied)) {
    let query = tables
      .selectFrom(table)
      .select([...keyNames(copied, table)])
      .limit(1)
    if (table === 'settings') query = query.where('name', 'not in', ofTheDatabase(copied))
    const opening = copied.fromOpening?.[table]
    if (opening !== undefined) query = query.where(opening.column, 'not in', opening.values)
    if ((await query.executeTakeFirst()) === undefined) continue
    throw new CopyRefused(
      `${target.place} is not empty (there are rows in ${table}): nothing is overwritten. Name an empty database.`,
    )
  }
}
