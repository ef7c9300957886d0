/** What a copy must know of the tables that it copies, whatever they are about. */

import type { AnyTables } from './copy-side.ts'

/** `origin` names a row of the same table, which may come later than the one that names it. */
export type ColumnRole = 'key' | 'value' | 'origin'

/** Does not compile when a table or a column of the schema is missing. A table stands after those that its rows refer to. */
export type ColumnsOf<Schema> = {
  readonly [Table in keyof Schema]: { readonly [Column in keyof Schema[Table]]: ColumnRole }
}

type Columns = Readonly<Record<string, Readonly<Record<string, ColumnRole>>>>

/** Each has a table `settings`, with a name and a value, in which the copy keeps how far it is. */
export interface CopiedTables {
  readonly columns: Columns
  /** The table of one row that comes with the end of the copy; every page first locks it, by writing this column. */
  readonly head: { readonly table: string; readonly column: string }
  /** Another text is another moment of the source. What it misses shows when the rows are compared. */
  momentOf(tables: AnyTables, head: Readonly<Record<string, unknown>>): Promise<string>
  /** What the head has while the copy is made. */
  readonly headMeanwhile?: Readonly<Record<string, unknown>>
  /** Tables to which triggers write when others are written. */
  readonly filledByTriggers: readonly string[]
  /** Emptied before the others, because triggers look for its rows. */
  readonly emptiedFirst?: string
  /** Names of settings that are about the database and not about what it holds, so that no copy has them. */
  readonly ofTheDatabase: readonly string[]
  /** Rows that a database has which was only opened: those with one of the values. */
  readonly fromOpening?: Readonly<
    Record<string, { readonly column: string; readonly values: readonly string[] }>
  >
  /** Where rows are so large that fewer are read at a time. */
  readonly rowsPerPage?: Readonly<Record<string, number>>
}

/** Those whose rows are copied one by one, in their order. */
export function tableNames({ columns, head }: CopiedTables): readonly string[] {
  return Object.keys(columns).filter((table) => table !== head.table)
}

export function columnNames({ columns }: CopiedTables, table: string): readonly string[] {
  return Object.keys(columns[table] ?? {})
}

export function keyNames(copied: CopiedTables, table: string): readonly string[] {
  return namesOf(copied, table, 'key')
}

/** Undefined where no row names another of its table. */
export function originName(copied: CopiedTables, table: string): string | undefined {
  return namesOf(copied, table, 'origin')[0]
}

function namesOf({ columns }: CopiedTables, table: string, wanted: ColumnRole): readonly string[] {
  return Object.entries(columns[table] ?? {}).flatMap(([name, role]) =>
    role === wanted ? [name] : [],
  )
}
