/** Copies all tables into another database: from one moment, compared row by row, resumable until they are whole. */

import { unfinishedMark } from '../database/unfinished-mark.ts'
import { newId, pooledRandom } from '../machine/random.ts'
import { advance, beginAgain, beginCopy, type Into, inChange, type Mark } from './begin-copy.ts'
import { firstDifference } from './compare-tables.ts'
import type { CopiedTables } from './copied-tables.ts'
import { copyPages, type Pages } from './copy-pages.ts'
import { type AnyTables, CopyRefused, type CopySource, type CopyTarget } from './copy-side.ts'
import type { Row } from './pages.ts'
import { counting, countRows, type OnCopyProgress } from './progress.ts'
import { refuseUnfinished } from './unfinished-copy.ts'

export interface Copy {
  readonly source: CopySource
  readonly target: CopyTarget
  /** Different for every run. */
  readonly run?: string
  readonly onProgress?: OnCopyProgress | undefined
}

export interface CopiedRows {
  /** The row that came with the end. */
  readonly head: Row
  readonly rows: number
  /** An earlier run had copied some of them. */
  readonly isResumed: boolean
}

export function copyTables(
  copied: CopiedTables,
  { source, target, run = newId(pooledRandom()), onProgress }: Copy,
): Promise<CopiedRows> {
  return source.read(async (tables) => {
    await refuseUnfinished(tables, source.place)
    const head: Row = await headOf(tables, copied)
    const total = await countRows(tables, copied)
    const into = { copied, target }
    const telling = (verb: 'copied' | 'compared'): Pages => {
      return { ...into, tables, onRows: counting((rows) => onProgress?.(verb, rows, total)) }
    }
    const moment = await copied.momentOf(tables, head)
    const { mark: begun, isResumed } = await beginCopy(into, moment, run)
    let mark = await copyPages(telling('copied'), begun)
    let difference = await firstDifference(telling('compared'))
    if (difference !== undefined && isResumed) {
      // What was written to the source between two runs, and does not show in its head, such as a last use.
      mark = await copyPages(telling('copied'), await beginAgain(into, mark))
      difference = await firstDifference(telling('compared'))
    }
    if (difference !== undefined) throw differs(target, difference)
    await finish(into, mark, head)
    return { head, rows: total, isResumed }
  })
}

function headOf(tables: AnyTables, { head }: CopiedTables): Promise<Row> {
  return tables.selectFrom(head.table).selectAll().executeTakeFirstOrThrow()
}

/** From here on the copy can be used. */
async function finish(into: Into, mark: Mark, head: Row): Promise<void> {
  const { copied, target } = into
  await inChange(into, async (tables) => {
    await advance(tables, mark, mark)
    await target.finish(tables)
    await tables.updateTable(copied.head.table).set(head).execute()
    await tables.deleteFrom('settings').where('name', '=', unfinishedMark).execute()
  })
}

function differs({ place }: CopyTarget, difference: string): CopyRefused {
  return new CopyRefused(
    `the copy in ${place} differs from what was copied (${difference}): it stays unfinished and is not used. Run it again; if that does not help, check disk and memory of both machines.`,
  )
}
