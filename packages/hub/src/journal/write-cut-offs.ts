/** Writes the cut-offs of changes, in the transaction of their entries. */

import { sql } from 'kysely'
import type { Change, CommitChange } from '../directory/port/change.ts'
import { chunked } from '../directory/port/columns.ts'
import type { Tables } from '../directory/port/directory.ts'
import type { Beginning } from './append-entries.ts'
import { type CutOff, cutOffsOf } from './cut-offs-of.ts'
import { limitsByRefs, refsOfCommit } from './refs-of-commit.ts'

export async function writeCutOffs(
  tables: Tables,
  changes: readonly Change[],
  beginning: Beginning,
): Promise<void> {
  const areLimited = limitsByRefs(tables)
  const refsOf = (change: CommitChange) => refsOfCommit(tables, change, areLimited)
  const all = new Map<string, CutOff>()
  for (const change of changes) {
    for (const cut of await cutOffsOf(change, beginning, refsOf)) {
      all.set(`${cut.kind}:${cut.id}`, cut)
    }
  }
  for (const some of chunked([...all.values()])) {
    const rows = some.map((cut) => ({ ...cut, made: beginning.number }))
    // What is cut for ever stays so.
    await tables
      .insertInto('cut_offs')
      .values(rows)
      .onConflict((both) =>
        both.columns(['kind', 'id']).doUpdateSet({
          number: sql`max(cut_offs.number, excluded.number)`,
          made: sql`excluded.made`,
        }),
      )
      .execute()
  }
}
