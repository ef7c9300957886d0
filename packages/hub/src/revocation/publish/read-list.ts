/** The cut-offs of the directory as the list that gates read; read anew only when there are others. */

import { type JournalNumber, journalNumber } from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/limits/limiter'
import { cutOffHash, finalNumber, forEver, listHash, writeRevocationList } from '@latchkey/token'
import { findHead } from '../../journal/read-journal.ts'
import type { Reading } from '../../tables/directory.ts'
import type { Schema } from '../../tables/schema.ts'

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

/** Pruning changes the list without an entry, and shows after this time. */
const readAgainMs = 60_000

export function listReader(stopwatch: Stopwatch): ReadList {
  let held: Held | undefined
  return async (tables) => {
    // First the number: what is cut between the two statements may be in the list, and is in the next head.
    const { number } = await findHead(tables)
    const isSame = number === held?.number && stopwatch() - held.readAt < readAgainMs
    if (held === undefined || !isSame)
      held = await readIfNew(tables, held, { number, readAt: stopwatch() })
    return { seq: journalNumber(number), list: held.list }
  }
}

interface Look {
  readonly number: number
  readonly readAt: number
}

interface Held extends Look {
  readonly version: string
  readonly list: PublishedList
}

/** Counting takes long where there are many cut-offs, so it happens once for an entry of the journal. */
async function readIfNew(tables: Reading, held: Held | undefined, read: Look): Promise<Held> {
  const version = await versionOf(tables)
  const list = version === held?.version ? held.list : await readAll(tables)
  return { ...read, version, list }
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
  const rows = await tables
    .selectFrom('cut_offs')
    .select(['kind', 'id', 'number', 'made'])
    .execute()
  const bytes = writeRevocationList(new Map(rows.map((row) => [cutOffHash(row), listed(row)])))
  return { hash: listHash(bytes), bytes }
}

/** A gate reads from the number for how long it has to keep the entry. */
function listed({
  kind,
  number,
  made,
}: Pick<Schema['cut_offs'], 'kind' | 'number' | 'made'>): JournalNumber {
  return number === forEver && kind !== 'key' ? finalNumber(made) : number
}
