/** Copies the tables page by page; each page is committed together with how far the copy is. */

import { advance, type Into, inChange, type Mark } from './begin-copy.ts'
import { type CopiedTables, keyNames, originName, tableNames } from './copied-tables.ts'
import type { AnyTables } from './copy-side.ts'
import { pageOf, type Row } from './pages.ts'

interface Step {
  readonly table: string
  /** Without the references to rows of the same table, which may come later; or again, with them. */
  readonly part?: 'without origins' | 'origins'
  /** The column of these references. */
  readonly origin?: string
}

/** The head comes with the end of the copy. */
function stepsOf(copied: CopiedTables): readonly Step[] {
  return tableNames(copied).flatMap((table): Step[] => {
    const origin = originName(copied, table)
    if (origin === undefined) return [{ table }]
    return [
      { table, origin, part: 'without origins' },
      { table, origin, part: 'origins' },
    ]
  })
}

export interface Pages extends Into {
  /** Of the source. */
  readonly tables: AnyTables
  onRows(more: number): void
}

/** Goes on after the mark; gives the last one. */
export async function copyPages(pages: Pages, begun: Mark): Promise<Mark> {
  const { tables, copied, onRows } = pages
  const steps = stepsOf(copied)
  let mark = begun
  for (let step = steps[mark.step]; step !== undefined; step = steps[mark.step]) {
    const { rows, after } = await pageOf(tables, copied, {
      table: step.table,
      after: mark.after ?? undefined,
    })
    const next =
      after === undefined ? { ...mark, step: mark.step + 1, after: null } : { ...mark, after }
    const [from, current] = [mark, step]
    await inChange(pages, async (written) => {
      await advance(written, from, next)
      if (from.after === null && copied.filledByTriggers.includes(current.table)) {
        await written.deleteFrom(current.table).execute()
      }
      for (const some of inStatements(rows)) await write(written, copied, { ...current, some })
    })
    mark = next
    if (step.part !== 'origins') onRows(rows.length)
  }
  return mark
}

/** No statement may carry more values than any database takes. */
const rowsPerStatement = 500

function* inStatements(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    yield rows.slice(at, at + rowsPerStatement)
  }
}

async function write(
  tables: AnyTables,
  copied: CopiedTables,
  { table, part, origin = '', some }: Step & { readonly some: readonly Row[] },
): Promise<void> {
  const insert = (rows: readonly Row[]) => tables.insertInto(table).values([...rows])
  if (part === undefined) await insert(some).execute()
  if (part === 'without origins') {
    await insert(some.map((row) => ({ ...row, [origin]: null }))).execute()
  }
  const referring = part === 'origins' ? some.filter((row) => row[origin] !== null) : []
  if (referring.length === 0) return
  await insert(referring)
    .onConflict((row) =>
      row
        .columns([...keyNames(copied, table)])
        .doUpdateSet(({ ref }) => ({ [origin]: ref(`excluded.${origin}`) })),
    )
    .execute()
}
