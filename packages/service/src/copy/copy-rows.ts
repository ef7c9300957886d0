/** Copies the rows of all tables, page by page. The head is not among them. */

import { type CopiedTables, keyNames, originName, tableNames } from './copied-tables.ts'
import type { AnyTables } from './copy-side.ts'
import { pagesOf, type Row } from './pages.ts'

/** One walk through all rows of both databases. */
export interface Walk {
  readonly copied: CopiedTables
  readonly from: AnyTables
  readonly to: AnyTables
  onRows(more: number): void
}

export async function copyRows(walk: Walk): Promise<void> {
  const { copied, from, to, onRows } = walk
  for (const table of tableNames(copied)) {
    const origin = originName(copied, table)
    if (copied.filledByTriggers.includes(table)) await to.deleteFrom(table).execute()
    for await (const page of pagesOf(from, copied, table)) {
      const rows = origin === undefined ? page : page.map((row) => ({ ...row, [origin]: null }))
      for (const some of inStatements(rows)) await to.insertInto(table).values(some).execute()
      onRows(page.length)
    }
    if (origin !== undefined) await writeOrigins(walk, table, origin)
  }
}

/** The references to rows of the same table, once all of them are there. */
async function writeOrigins(
  { copied, from, to }: Walk,
  table: string,
  origin: string,
): Promise<void> {
  const key = keyNames(copied, table)
  for await (const page of pagesOf(from, copied, table)) {
    const rows = page.filter((row) => row[origin] !== null)
    for (const some of inStatements(rows)) {
      await to
        .insertInto(table)
        .values(some)
        .onConflict((row) =>
          row.columns([...key]).doUpdateSet(({ ref }) => ({ [origin]: ref(`excluded.${origin}`) })),
        )
        .execute()
    }
  }
}

/** No statement may carry more values than any database takes. */
const rowsPerStatement = 500

function* inStatements(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    yield rows.slice(at, at + rowsPerStatement)
  }
}
