/** What a copy must know of the tables that it copies, whatever they are about. */

/** `origin` names a row of the same table, which may come later than the one that names it. */
export type ColumnRole = 'key' | 'value' | 'origin'

/** Does not compile when a table or a column of the schema is missing. A table stands after those that its rows refer to. */
export type ColumnsOf<Schema> = {
  readonly [Table in keyof Schema]: { readonly [Column in keyof Schema[Table]]: ColumnRole }
}

type Columns = Readonly<Record<string, Readonly<Record<string, ColumnRole>>>>

/** For each table: the rows that have one of the values in the column. */
export type RowSets = Readonly<
  Record<string, { readonly column: string; readonly values: readonly string[] }>
>

export interface CopiedTables {
  readonly columns: Columns
  /** The table of one row that is written last. */
  readonly head: {
    readonly table: string
    /** The head has these values during the copy. Writing them locks the row, as every change of the owner does. */
    readonly meanwhile: Readonly<Record<string, unknown>>
  }
  /** Tables to which triggers write when others are written. */
  readonly filledByTriggers: readonly string[]
  /** Rows about the database itself: they are not copied. */
  readonly notCopied?: RowSets
  /** Rows that opening an empty database makes: the copy replaces them. */
  readonly fromOpening?: RowSets
  /** Where rows are so large that fewer are read at a time. */
  readonly rowsPerPage?: Readonly<Record<string, number>>
}

/** The tables whose rows are copied one by one, in their order. */
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
