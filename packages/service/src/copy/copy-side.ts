import { type Kysely, sql } from 'kysely'
import type { WriterQueue } from '../database/writer-queue.ts'

/** The tables for code that treats all alike. */
export type AnySchema = Record<string, Record<string, unknown>>
export type AnyTables = Kysely<AnySchema>

/** All reads of one `read` find the rows of one moment. */
export interface CopySource extends Pick<WriterQueue<AnySchema>, 'read'> {
  /** In words for people, without a password. */
  readonly place: string
  close(): Promise<void>
}

/** The copy is one `change`. */
export interface CopyTarget extends Pick<WriterQueue<AnySchema>, 'change'> {
  readonly place: string
  /** In the same transaction, when every row is there. */
  finish(tables: AnyTables): Promise<void>
  close(): Promise<void>
}

/** The copy is not made; the message is one line for the operator. */
export class CopyError extends Error {
  override readonly name = 'CopyError'
}

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

/** `origin` names a row of the same table, which may come later than the one that names it. */
type ColumnRole = 'key' | 'value' | 'origin'

/** Does not compile when a table or a column of the schema is missing. A table stands after those that its rows refer to. */
export type ColumnsOf<Schema> = {
  readonly [Table in keyof Schema]: { readonly [Column in keyof Schema[Table]]: ColumnRole }
}

type Columns = Readonly<Record<string, Readonly<Record<string, ColumnRole>>>>

/** For each table: the rows that have one of the values in the column. */
type RowSets = Readonly<
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

function namesOf(
  { columns }: CopiedTables,
  table: string,
  columnRole: ColumnRole,
): readonly string[] {
  return Object.entries(columns[table] ?? {}).flatMap(([name, role]) =>
    role === columnRole ? [name] : [],
  )
}
