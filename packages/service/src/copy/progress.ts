/** How far a copy is: every row is copied, and then compared. */

import { type CopiedTables, tableNames } from './copied-tables.ts'
import type { AnyTables } from './copy-side.ts'

export type CopyVerb = 'copied' | 'compared'
export type OnCopyProgress = (verb: CopyVerb, rows: number, total: number) => void

/** With the row of the head. */
export async function countRows(tables: AnyTables, copied: CopiedTables): Promise<number> {
  let total = 1
  for (const table of tableNames(copied)) {
    const { count } = await tables
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    total += Number(count)
  }
  return total
}

/** Counts what it is told of, from zero. */
export function counting(tell: (rows: number) => void): (more: number) => void {
  let rows = 0
  return (more) => {
    rows += more
    tell(rows)
  }
}
