/** The rows of a table in the order of its key, some at a time. */

import { sql } from 'kysely'
import { unfinishedMark } from '../database/unfinished-mark.ts'
import { type CopiedTables, columnNames, keyNames } from './copied-tables.ts'
import type { AnyTables } from './copy-side.ts'

export type Row = Readonly<Record<string, unknown>>
export type Key = readonly unknown[]

export const usualRowsPerPage = 2000

export interface Page {
  readonly rows: readonly Row[]
  /** Of the last row; undefined where there is no more. */
  readonly after: Key | undefined
}

/** Those after the key, or the first ones. */
export async function pageOf(
  tables: AnyTables,
  copied: CopiedTables,
  { table, after }: { readonly table: string; readonly after: Key | undefined },
): Promise<Page> {
  const key = keyNames(copied, table)
  const most = copied.rowsPerPage?.[table] ?? usualRowsPerPage
  let query = tables
    .selectFrom(table)
    .select([...columnNames(copied, table)])
    .limit(most)
  for (const name of key) query = query.orderBy(name)
  if (table === 'settings') query = query.where('name', 'not in', ofTheDatabase(copied))
  if (after !== undefined) {
    const names = sql.join(key.map((name) => sql.ref(name)))
    query = query.where(sql<boolean>`(${names}) > (${sql.join(after)})`)
  }
  const rows: readonly Row[] = await query.execute()
  const last = rows.length < most ? undefined : rows.at(-1)
  return { rows, after: last && key.map((name) => last[name]) }
}

/** The names of settings that no copy has. */
export function ofTheDatabase(copied: CopiedTables): readonly string[] {
  return [unfinishedMark, ...copied.ofTheDatabase]
}
