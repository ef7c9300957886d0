/** Reads every row back and compares it with the one that it was copied from. */

import { type CopiedTables, columnNames, keyNames, tableNames } from './copied-tables.ts'
import type { Walk } from './copy-rows.ts'
import { pagesOf, type Row } from './pages.ts'

/** Where they differ first, in words; undefined when all rows are the same. */
export async function firstDifference(walk: Walk): Promise<string | undefined> {
  for (const table of tableNames(walk.copied)) {
    const difference = await differenceIn(walk, table)
    if (difference !== undefined) return `${table}, ${difference}`
  }
  return undefined
}

async function differenceIn(
  { copied, from, to, onRows }: Walk,
  table: string,
): Promise<string | undefined> {
  const copies = pagesOf(to, copied, table)
  for await (const rows of pagesOf(from, copied, table)) {
    const { value: found } = await copies.next()
    const copyRows = found ?? []
    const index = Array.from({ length: Math.max(rows.length, copyRows.length) }).findIndex(
      (_, at) => textOf(copied, table, rows[at]) !== textOf(copied, table, copyRows[at]),
    )
    if (index >= 0) return nameOf(copied, table, rows[index] ?? copyRows[index] ?? {})
    onRows(rows.length)
  }
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
