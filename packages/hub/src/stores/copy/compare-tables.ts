/** Reads every row back and compares it with the one that it was copied from. */

import { columnsOf, keyOf, type TableName, tableNames } from '../../directory/port/table-columns.ts'
import type { Pages } from './copy-pages.ts'
import { type Key, keyIn, pageOf, type Row, rowsPerPage } from './pages.ts'

/** Where they differ first, in words; undefined when all rows are the same. */
export async function firstDifference(pages: Pages): Promise<string | undefined> {
  for (const table of tableNames) {
    const difference = table === 'journal_head' ? undefined : await differenceIn(pages, table)
    if (difference !== undefined) return difference
  }
  return undefined
}

async function differenceIn(
  { tables, target, onRows }: Pages,
  table: TableName,
): Promise<string | undefined> {
  let after: Key | undefined
  for (;;) {
    const from = after
    const rows = await pageOf(tables, table, from)
    const copies = await target.read((copied) => pageOf(copied, table, from))
    const index = Array.from({ length: Math.max(rows.length, copies.length) }).findIndex(
      (_, at) => textOf(table, rows[at]) !== textOf(table, copies[at]),
    )
    if (index >= 0) return `${table}, ${nameOf(table, rows[index] ?? copies[index] ?? {})}`
    onRows(rows.length)
    const last = rows.at(-1)
    if (rows.length < rowsPerPage || last === undefined) return undefined
    after = keyIn(table, last)
  }
}

function textOf(table: TableName, row: Row | undefined): string {
  return JSON.stringify(row && columnsOf(table).map((name) => row[name]))
}

function nameOf(table: TableName, row: Row): string {
  return keyOf(table)
    .map((name) => `${name} ${row[name]}`)
    .join(', ')
}
