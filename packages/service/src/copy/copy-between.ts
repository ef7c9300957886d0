/** Copies all tables of one database into an empty one, in one transaction that compares every row before it commits. */

import {
  type AnyTables,
  type CopiedTables,
  CopyError,
  type CopySource,
  type CopyTarget,
  columnNames,
  countRows,
  keyNames,
  originName,
  pagesOf,
  type Row,
  tableNames,
} from './copy-side.ts'

interface Sides {
  openSource(): Promise<CopySource>
  openTarget(): Promise<CopyTarget>
}

export type CopyVerb = 'copied' | 'compared'
/** Every row is copied, and then compared. */
export type OnCopyProgress = (verb: CopyVerb, rows: number, total: number) => void

export interface CopyResult {
  /** The row that was written last. */
  readonly head: Row
  readonly rows: number
  /** In words for people. */
  readonly from: string
  readonly to: string
}

/** A copy that fails or is killed leaves the target as empty as it was. The source stays as it is. */
export async function copyBetween(
  copied: CopiedTables,
  { openSource, openTarget }: Sides,
  onProgress?: OnCopyProgress,
): Promise<CopyResult> {
  const source = await openSource()
  try {
    const target = await openTarget()
    try {
      const copy = { copied, source, target, onProgress }
      return { ...(await copyTables(copy)), from: source.place, to: target.place }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

interface Copy {
  readonly copied: CopiedTables
  readonly source: CopySource
  readonly target: CopyTarget
  readonly onProgress: OnCopyProgress | undefined
}

function copyTables({ copied, source, target, onProgress }: Copy) {
  return source.read(async (from) => {
    const head: Row = await from.selectFrom(copied.head.table).selectAll().executeTakeFirstOrThrow()
    const rows = await countRows(from, copied)
    await target.change(async (to) => {
      const walk = (verb: CopyVerb) => {
        let done = 0
        const onRows = (more: number) => {
          done += more
          onProgress?.(verb, done, rows)
        }
        return { copied, from, to, onRows }
      }
      await takeEmpty(to, copied, target.place)
      await copyRows(walk('copied'))
      const difference = await firstDifference(walk('compared'))
      if (difference !== undefined) throw differs(target, difference)
      await target.finish(to)
      await to.updateTable(copied.head.table).set(head).execute()
    })
    return { head, rows }
  })
}

/** A database that has only been opened counts as empty. */
async function takeEmpty(to: AnyTables, copied: CopiedTables, place: string): Promise<void> {
  const { head, fromOpening } = copied
  await to.updateTable(head.table).set(head.meanwhile).execute()
  for (const table of tableNames(copied)) {
    const opening = fromOpening?.[table]
    if (opening !== undefined) {
      await to.deleteFrom(table).where(opening.column, 'in', opening.values).execute()
    }
    const first = await to
      .selectFrom(table)
      .select([...keyNames(copied, table)])
      .limit(1)
      .executeTakeFirst()
    if (first === undefined) continue
    throw new CopyError(
      `${place} is not empty (there are rows in ${table}): nothing is overwritten. Name an empty database.`,
    )
  }
}

function differs({ place }: CopyTarget, difference: string): CopyError {
  return new CopyError(
    `the copy in ${place} differs from the source (${difference}), so it was rolled back: the target is empty. Run it again; if that does not help, check disk and memory of both machines.`,
  )
}

/** Where they differ first, in words; undefined when all rows are the same. */
async function firstDifference(walk: Walk): Promise<string | undefined> {
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

/** One walk through all rows of both databases. */
interface Walk {
  readonly copied: CopiedTables
  readonly from: AnyTables
  readonly to: AnyTables
  onRows(more: number): void
}

async function copyRows(walk: Walk): Promise<void> {
  const { copied, from, to, onRows } = walk
  for (const table of tableNames(copied)) {
    const origin = originName(copied, table)
    if (copied.filledByTriggers.includes(table)) await to.deleteFrom(table).execute()
    for await (const page of pagesOf(from, copied, table)) {
      const rows = origin === undefined ? page : page.map((row) => ({ ...row, [origin]: null }))
      for (const some of inStatements(rows)) await to.insertInto(table).values(some).execute()
      onRows(page.length)
    }
    if (origin !== undefined) await writeOrigins(walk, table, origin)
  }
}

/** The references to rows of the same table, once all of them are there. */
async function writeOrigins(
  { copied, from, to }: Walk,
  table: string,
  origin: string,
): Promise<void> {
  const key = keyNames(copied, table)
  for await (const page of pagesOf(from, copied, table)) {
    const rows = page.filter((row) => row[origin] !== null)
    for (const some of inStatements(rows)) {
      await to
        .insertInto(table)
        .values(some)
        .onConflict((row) =>
          row.columns([...key]).doUpdateSet(({ ref }) => ({ [origin]: ref(`excluded.${origin}`) })),
        )
        .execute()
    }
  }
}

/** No statement may carry more values than any database takes. */
const rowsPerStatement = 500

function* inStatements(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    yield rows.slice(at, at + rowsPerStatement)
  }
}
