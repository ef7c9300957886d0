/** How far a copy is: every row is copied, and then compared. */

import type { Tables } from '../../directory/port/directory.ts'
import { tableNames } from '../../directory/port/table-columns.ts'
import { anyTable } from './pages.ts'

export type CopyVerb = 'copied' | 'compared'
export type OnCopyProgress = (verb: CopyVerb, rows: number, total: number) => void

export async function countRows(tables: Tables): Promise<number> {
  let total = 0
  for (const table of tableNames) {
    const { count } = await anyTable(tables)
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
