/** Reads the rows of a table in the order of its key, some at a time. */

import { sql } from 'kysely'
import { type CopiedTables, columnNames, keyNames, tableNames } from './copied-tables.ts'
import type { AnyTables } from './copy-side.ts'

export type Row = Readonly<Record<string, unknown>>

const usualRowsPerPage = 2000

/** One page at least; only the last one is not full. */
export async function* pagesOf(
  tables: AnyTables,
  copied: CopiedTables,
  table: string,
): AsyncGenerator<readonly Row[], void> {
  const key = keyNames(copied, table)
  const size = copied.rowsPerPage?.[table] ?? usualRowsPerPage
  let query = rowsOf(tables, copied, table)
    .select([...columnNames(copied, table)])
    .limit(size)
  for (const name of key) query = query.orderBy(name)
  const names = sql.join(key.map((name) => sql.ref(name)))
  let page: readonly Row[] = await query.execute()
  yield page
  while (page.length === size) {
    const after = sql.join(key.map((name) => page.at(-1)?.[name]))
    page = await query.where(sql<boolean>`(${names}) > (${after})`).execute()
    yield page
  }
}

/** With the row of the head. */
export async function countRows(tables: AnyTables, copied: CopiedTables): Promise<number> {
  let total = 1
  for (const table of tableNames(copied)) {
    const { count } = await rowsOf(tables, copied, table)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    total += Number(count)
  }
  return total
}

function rowsOf(tables: AnyTables, { notCopied }: CopiedTables, table: string) {
  const query = tables.selectFrom(table)
  const left = notCopied?.[table]
  return left === undefined ? query : query.where(left.column, 'not in', left.values)
}
