/** Reads every row back and compares it with the one that it was copied from. */

import { type CopiedTables, columnNames, keyNames, tableNames } from './copied-tables.ts'
import type { Pages } from './copy-pages.ts'
import { type Key, pageOf, type Row } from './pages.ts'

/** Where they differ first, in words; undefined when all rows are the same. */
export async function firstDifference(pages: Pages): Promise<string | undefined> {
  for (const table of tableNames(pages.copied)) {
    const difference = await differenceIn(pages, table)
    if (difference !== undefined) return difference
  }
  return undefined
}

async function differenceIn(
  { tables, target, copied, onRows }: Pages,
  table: string,
): Promise<string | undefined> {
  let after: Key | undefined
  do {
    const wanted = { table, after }
    const page = await pageOf(tables, copied, wanted)
    const { rows } = page
    const { rows: copies } = await target.read((written) => pageOf(written, copied, wanted))
    const index = Array.from({ length: Math.max(rows.length, copies.length) }).findIndex(
      (_, at) => textOf(copied, table, rows[at]) !== textOf(copied, table, copies[at]),
    )
    if (index >= 0) return `${table}, ${nameOf(copied, table, rows[index] ?? copies[index] ?? {})}`
    onRows(rows.length)
    after = page.after
  } while (after !== undefined)
  return undefined
}

function textOf(copied: CopiedTables, table: string, row: Row | undefined): string {
  return JSON.stringify(row && columnNames(copied, table).map((name) => plain(row[name])))
}

/** Each driver has a type of its own for bytes. */
function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}

function nameOf(copied: CopiedTables, table: string, row: Row): string {
  return keyNames(copied, table)
    .map((name) => `${name} ${row[name]}`)
    .join(', ')
}
