/** Copies a whole directory into another database: from one moment, compared row by row, resumable until it is whole. */

import type { Tables } from '../../directory/port/directory.ts'
import { advance, beginAgain, beginCopy, inChange, type Mark } from './begin-copy.ts'
import { firstDifference } from './compare-tables.ts'
import { copyPages, type Pages } from './copy-pages.ts'
import { CopyRefused, type CopySource, type CopyTarget } from './copy-side.ts'
import { counting, countRows, type OnCopyProgress } from './progress.ts'
import { markName, refuseUnfinished } from './unfinished-copy.ts'

export interface Copy {
  readonly source: CopySource
  readonly target: CopyTarget
  /** Different for every run. */
  readonly run: string
  readonly onProgress?: OnCopyProgress
}

export interface Copied {
  /** The last number of the journal that the copy has. */
  readonly number: number
  readonly rows: number
  /** An earlier run had copied some of them. */
  readonly isResumed: boolean
}

export function copyDirectory({ source, target, run, onProgress }: Copy): Promise<Copied> {
  return source.read(async (tables) => {
    await refuseUnfinished(tables, source.place)
    const head = await headOf(tables)
    const total = await countRows(tables)
    const telling = (verb: 'copied' | 'compared'): Pages => {
      return { tables, target, onRows: counting((rows) => onProgress?.(verb, rows, total)) }
    }
    const { mark: begun, isResumed } = await beginCopy(target, head, run)
    let mark = await copyPages(telling('copied'), begun)
    let difference = await firstDifference(telling('compared'))
    if (difference !== undefined && isResumed) {
      // What was written to the source between two runs, and has no journal number, such as a last use.
      mark = await copyPages(telling('copied'), await beginAgain(target, mark))
      difference = await firstDifference(telling('compared'))
    }
    if (difference !== undefined) throw differs(target, difference)
    await finish(target, mark, head)
    return { number: head.number, rows: total, isResumed }
  })
}

type Head = Awaited<ReturnType<typeof headOf>>

function headOf(tables: Tables) {
  return tables.selectFrom('journal_head').selectAll().executeTakeFirstOrThrow()
}

/** Numbers go on above those of the source; from here on the copy can be used. */
async function finish(target: CopyTarget, mark: Mark, head: Head): Promise<void> {
  await inChange(target, async (tables) => {
    await advance(tables, mark, mark)
    await target.finish(tables)
    await tables.updateTable('journal_head').set(head).execute()
    await tables.deleteFrom('settings').where('name', '=', markName).execute()
  })
}

function differs({ place }: CopyTarget, difference: string): CopyRefused {
  return new CopyRefused(
    `the copy in ${place} differs from what was copied (${difference}): it stays unfinished and is not used. Run it again; if that does not help, check disk and memory of both machines.`,
  )
}
