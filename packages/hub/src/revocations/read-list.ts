/** The cut-offs of the directory as the list that gates read; read anew only when there are others. */

import { type JournalNumber, journalNumber } from '@latchkey/protocol'
import { cutOffHash, listHash, writeRevocationList } from '@latchkey/token'
import type { Reading } from '../directory/port/directory.ts'
import { findHead } from '../journal/read-journal.ts'

export interface PublishedList {
  readonly hash: string
  readonly bytes: Buffer
}

export interface ListReading {
  /** Every cut-off of the journal up to this number is in the list. */
  readonly seq: JournalNumber
  readonly list: PublishedList
}

export type ReadList = (tables: Reading) => Promise<ListReading>

export function listReader(): ReadList {
  let held: { readonly version: string; readonly list: PublishedList } | undefined
  return async (tables) => {
    // First the number: what is cut between the two statements may be in the list, and is in the next head.
    const { number } = await findHead(tables)
    const version = await versionOf(tables)
    if (version !== held?.version) held = { version, list: await readAll(tables) }
    return { seq: journalNumber(number), list: held.list }
  }
}

/** Every transaction that cuts has a number of its own; pruning changes the count. */
async function versionOf(tables: Reading): Promise<string> {
  const row = await tables
    .selectFrom('cut_offs')
    .select(({ fn }) => [fn.max('made').as('made'), fn.countAll().as('count')])
    .executeTakeFirst()
  return `${row?.made} ${row?.count}`
}

async function readAll(tables: Reading): Promise<PublishedList> {
  const rows = await tables.selectFrom('cut_offs').select(['kind', 'id', 'number']).execute()
  const bytes = writeRevocationList(new Map(rows.map((row) => [cutOffHash(row), row.number])))
  return { hash: listHash(bytes), bytes }
}
