/**
 * Holds the differences between SQLite and PostgreSQL, so that every other statement is written
 * once.
 */

import { PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { StorageTables } from './schema.ts'

export function isPostgres(tables: StorageTables): boolean {
  return tables.getExecutor().adapter instanceof PostgresAdapter
}

/** The columns of a list that a statement is given, each with a value for every row. */
export type Columns = Readonly<Record<string, Column>>

export interface Column {
  readonly type: 'text' | 'bigint'
  readonly values: readonly (string | number | null)[]
}

export function texts(values: readonly string[]): Column {
  return { type: 'text', values }
}

export function numbers(values: readonly (number | undefined)[]): Column {
  return { type: 'bigint', values: values.map((value) => value ?? null) }
}

/** The list as a table, with the columns and the `place` of each row in the list. However long, it is one statement. */
export function columnList(
  tables: StorageTables,
  name: string,
  columns: Columns,
): RawBuilder<unknown> {
  const names = Object.keys(columns).map((column) => sql.id(column))
  const lists = Object.values(columns)
  if (isPostgres(tables)) {
    const arrays = lists.map(({ type, values }) => sql`${[...values]}::${sql.raw(type)}[]`)
    return sql`unnest(${sql.join(arrays)}) WITH ORDINALITY AS ${sql.id(name)} (${sql.join(names)}, place)`
  }
  const [first] = lists
  const rows = (first?.values ?? []).map((_, at) => lists.map(({ values }) => values[at]))
  const fields = names.map((column, at) => sql`value ->> ${sql.lit(at)} AS ${column}`)
  return sql`
    (SELECT key AS place, ${sql.join(fields)} FROM json_each(${JSON.stringify(rows)}) AS ${sql.id(name)})
    AS ${sql.id(name)}`
}

/** Not a parameter: SQLite uses an index of some rows only where it reads the value. */
export function literalFalse(tables: StorageTables): RawBuilder<number> {
  return isPostgres(tables) ? sql<number>`false` : sql<number>`0`
}

/** Keeps SQLite from using the index of a column, where another index leads to fewer rows. PostgreSQL knows by itself. */
export function unindexed(tables: StorageTables, column: string): RawBuilder<unknown> {
  return isPostgres(tables) ? sql.ref(column) : sql`+${sql.ref(column)}`
}
