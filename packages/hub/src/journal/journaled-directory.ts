/** The directory on a queue of writers: a change of the tables appends to the journal in the same transaction. */

import type { Refusal } from '@latchkey/protocol'
import type { WriterQueue } from '@latchkey/service/database'
import type { Change, Origin, Put } from '../tables/change.ts'
import type {
  BookkeepingTransaction,
  Directory,
  NumbersAbove,
  Tables,
} from '../tables/directory.ts'
import type { Schema } from '../tables/schema.ts'
import {
  appendEntries,
  type Beginning,
  beginNumbers,
  closeJournal,
  type Now,
} from './append-entries.ts'
import { writeCutOffs } from './write-cut-offs.ts'
import { writeRows } from './write-rows.ts'

/** `readBeside` waits for no writer. */
export interface DirectoryWriters extends WriterQueue<Schema> {
  readonly readBeside: WriterQueue<Schema>['read']
}

export function journaledDirectory(writers: DirectoryWriters, now: Now): Directory {
  const transact: Transact = (work, { above = 0 } = {}) =>
    writers.change(async (tables) => {
      const beginning = await beginNumbers(tables, now, above)
      const putAs = (origin: Origin) => putIn(tables, { origin, beginning })
      return work({ tables, number: beginning.number, putAs })
    })
  const { read, readBeside } = writers
  return { read, readBeside, change: transact, note: (_what, ...work) => transact(...work) }
}

type Transact = <Result>(
  work: (transaction: BookkeepingTransaction) => Promise<Result | Refusal>,
  numbers?: NumbersAbove,
) => Promise<Result | Refusal>

function putIn(
  tables: Tables,
  begun: { readonly origin: Origin; readonly beginning: Beginning },
): Put {
  return async (all) => {
    const changes = all.filter(isChange)
    if (changes.length === 0) return
    await appendEntries(tables, changes, begun)
    // Before the rows: which tags name a commit is asked of the directory as it was.
    await writeCutOffs(tables, changes, begun.beginning)
    await writeRows(tables, changes)
    await closeJournal(tables)
  }
}

/** A row that stays as it is gets no entry. */
function isChange(change: Change): boolean {
  if (!('after' in change) || change.before === undefined || change.after === undefined) return true
  return Object.entries(change.after).some(
    ([column, value]) => value !== Object(change.before)[column],
  )
}
