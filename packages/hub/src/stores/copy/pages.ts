/** The rows of a table in the order of its key, some at a time. */

import { type Kysely, sql } from 'kysely'
import type { Reading, Tables } from '../../directory/port/directory.ts'
import { columnsOf, keyOf, type TableName } from '../../directory/port/table-columns.ts'
import { ofTheDatabase } from './unfinished-copy.ts'

export type Row = Readonly<Record<string, unknown>>
export type Key = readonly unknown[]

/** The tables for code that treats all alike. */
export type AnyTables = Kysely<Record<string, Record<string, unknown>>>

export const rowsPerPage = 2000

/** Those after the key, or the first ones. */
export async function pageOf(
  tables: Reading,
  table: TableName,
  after: Key | undefined,
): Promise<readonly Row[]> {
  const key = keyOf(table)
  let query = anyTable(tables)
    .selectFrom(table)
    .select([...columnsOf(table)])
    .limit(rowsPerPage)
  for (const name of key) query = query.orderBy(name)
  if (table === 'settings') query = query.where('name', 'not in', ofTheDatabase)
  if (after !== undefined) {
    const names = sql.join(key.map((name) => sql.ref(name)))
    query = query.where(sql<boolean>`(${names}) > (${sql.join(after)})`)
  }
  return await query.execute()
}

export function keyIn(table: TableName, row: Row): Key {
  return keyOf(table).map((name) => row[name])
}

/** Its type does not name a table, so neither does what is done with it. */
export function anyTable(tables: Reading | Tables): AnyTables {
  return tables as unknown as AnyTables
}
