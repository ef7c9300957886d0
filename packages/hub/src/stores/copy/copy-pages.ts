/** Copies the tables page by page; each page is committed together with how far the copy is. */

import { chunked } from '../../directory/port/columns.ts'
import type { Tables } from '../../directory/port/directory.ts'
import { keyOf, type TableName, tableNames } from '../../directory/port/table-columns.ts'
import { advance, inChange, type Mark } from './begin-copy.ts'
import type { CopyTarget } from './copy-side.ts'
import { anyTable, keyIn, pageOf, type Row, rowsPerPage } from './pages.ts'

interface Step {
  readonly table: TableName
  /** Without the references to rows of the same table, which may come later; or again, with them. */
  readonly part?: 'without origins' | 'origins'
  /** Triggers have written rows of their own meanwhile. */
  readonly clearsFirst?: true
}

/** The head comes with the end of the copy. */
export const steps: readonly Step[] = tableNames.flatMap((table): Step[] => {
  if (table === 'journal_head') return []
  if (table === 'refs')
    return [
      { table, part: 'without origins' },
      { table, part: 'origins' },
    ]
  return table === 'past_holders' ? [{ table, clearsFirst: true }] : [{ table }]
})

export interface Pages {
  readonly tables: Tables
  readonly target: CopyTarget
  onRows(more: number): void
}

/** Goes on after the mark; gives the last one. */
export async function copyPages({ tables, target, onRows }: Pages, begun: Mark): Promise<Mark> {
  let mark = begun
  for (let step = steps[mark.step]; step !== undefined; step = steps[mark.step]) {
    const rows = await pageOf(tables, step.table, mark.after ?? undefined)
    const next = markAfter(mark, step, rows)
    const [from, current] = [mark, step]
    await inChange(target, async (written) => {
      await advance(written, from, next)
      if (current.clearsFirst && from.after === null) {
        await anyTable(written).deleteFrom(current.table).execute()
      }
      for (const some of chunked(rows)) await write(written, current, some)
    })
    mark = next
    if (step.part !== 'origins') onRows(rows.length)
  }
  return mark
}

function markAfter(mark: Mark, { table }: Step, rows: readonly Row[]): Mark {
  const last = rows.at(-1)
  return rows.length < rowsPerPage || last === undefined
    ? { ...mark, step: mark.step + 1, after: null }
    : { ...mark, after: keyIn(table, last) }
}

async function write(tables: Tables, { table, part }: Step, rows: readonly Row[]): Promise<void> {
  const insert = (some: readonly Row[]) =>
    anyTable(tables)
      .insertInto(table)
      .values([...some])
  if (part === undefined) await insert(rows).execute()
  if (part === 'without origins') {
    await insert(rows.map((row) => ({ ...row, from_uid: null }))).execute()
  }
  const forks = part === 'origins' ? rows.filter((row) => row['from_uid'] !== null) : []
  if (forks.length === 0) return
  await insert(forks)
    .onConflict((row) =>
      row
        .columns([...keyOf(table)])
        .doUpdateSet(({ ref }) => ({ from_uid: ref('excluded.from_uid') })),
    )
    .execute()
}
