/** The directory on a queue of writers: a change of the tables appends to the journal in the same transaction. */

import type { Refusal } from '@latchkey/protocol'
import type { WriterQueue } from '@latchkey/service/database'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { type Insertable, sql } from 'kysely'
import type { Change, CommitChange, JournaledChange, Origin, Put } from '../tables/change.ts'
import { chunked, rowsPerStatement } from '../tables/columns.ts'
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
import { withEndsOfMade } from './ends-of-made.ts'
import { forget } from './forget.ts'
import { writeCutOffs } from './write-cut-offs.ts'

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
    await forget(tables, all)
    const entries = all.filter(isChange)
    if (entries.length === 0) return
    const changes = await withEndsOfMade(tables, entries, begun.beginning)
    await appendEntries(tables, changes, begun)
    // Before the rows: which tags name a commit is asked of the directory as it was.
    await writeCutOffs(tables, changes, begun.beginning)
    await writeRows(tables, changes)
    await closeJournal(tables)
  }
}

/** A row that stays as it is gets no entry. */
function isChange(change: Change): change is JournaledChange {
  if (change.thing === 'provider-token' || change.thing === 'approval') return false
  if (!('after' in change) || change.before === undefined || change.after === undefined) return true
  return Object.entries(change.after).some(
    ([column, value]) => value !== Object(change.before)[column],
  )
}

const tableOf = {
  account: 'accounts',
  namespace: 'namespaces',
  member: 'members',
  repository: 'repositories',
  collaborator: 'collaborators',
  publisher: 'trusted_publishers',
  team: 'teams',
  'team-member': 'team_members',
  'team-group': 'team_groups',
  'group-member': 'group_members',
  'team-role': 'team_roles',
  ref: 'refs',
  'hub-token': 'hub_tokens',
  identity: 'identities',
  key: 'signing_keys',
  prefix: 'hub_token_prefixes',
  forge: 'forge',
} as const satisfies Partial<Record<JournaledChange['thing'], keyof Schema>>

const keyOf: Readonly<Record<keyof typeof tableOf, readonly string[]>> = {
  account: ['id'],
  namespace: ['id'],
  member: ['namespace_id', 'account_id'],
  repository: ['uid'],
  collaborator: ['repository_uid', 'account_id'],
  publisher: ['account_id'],
  team: ['id'],
  'team-member': ['team_id', 'account_id'],
  'team-group': ['team_id', 'provider', 'group_name'],
  'group-member': ['team_id', 'provider', 'group_name', 'issuer', 'subject'],
  'team-role': ['repository_uid', 'team_id'],
  ref: ['uid'],
  'hub-token': ['id'],
  identity: ['issuer', 'subject'],
  key: ['kid'],
  prefix: ['prefix'],
  forge: ['place'],
}

/** A row may refer to rows of the tables before its own. */
const insertOrder = [
  'accounts',
  'namespaces',
  'members',
  'teams',
  'team_members',
  'team_groups',
  'repositories',
  'collaborators',
  'trusted_publishers',
  'team_roles',
  'refs',
  'commits',
  'commit_holders',
  'hub_tokens',
  'identities',
  'group_members',
  'signing_keys',
  'hub_token_prefixes',
  'forge',
] as const

type Inserted = (typeof insertOrder)[number]
type Row = Readonly<Record<string, unknown>>

/** Deletes and updates come first, so that names are free; inserts of many rows go together. */
async function writeRows(tables: Tables, changes: readonly JournaledChange[]): Promise<void> {
  const inserts = new Map<Inserted, Row[]>(insertOrder.map((table) => [table, []]))
  const insert = (table: Inserted, row: object) => inserts.get(table)?.push(row as Row)
  for (const [index, change] of changes.entries()) {
    await yieldInLoop(index)
    if (change.thing === 'hub' || change.thing === 'cut-off') continue
    if (change.thing === 'commit') {
      if (change.created !== undefined) insert('commits', change.created)
      for (const row of holderRows(change)) insert('commit_holders', row)
    } else if (change.before === undefined) {
      if (change.after !== undefined) insert(tableOf[change.thing], change.after)
    } else if (change.after === undefined) {
      await deleteRow(tables, change.thing, { ...change.before })
    } else {
      await updateRow(tables, change.thing, { ...change.before }, { ...change.after })
    }
  }
  for (const [table, rows] of inserts) await insertRows(tables, table, rows)
}

function holderRows({ commit, holders, now, number }: CommitChange) {
  return holders.map(({ uid }) => ({
    repository_uid: commit.repository_uid,
    hash: commit.hash,
    ref_uid: uid,
    recorded_at: now,
    recorded_number: number,
  }))
}

async function insertRows<Table extends Inserted>(
  tables: Tables,
  table: Table,
  rows: readonly Row[],
): Promise<void> {
  for (const [index, chunk] of chunked(rows).entries()) {
    await yieldInLoop(index * rowsPerStatement)
    await tables
      .insertInto(table)
      .values(chunk as unknown as Insertable<Schema[Table]>[])
      .execute()
  }
}

async function deleteRow(tables: Tables, thing: keyof typeof tableOf, row: Row): Promise<void> {
  await sql`delete from ${sql.table(tableOf[thing])} where ${isRow(thing, row)}`.execute(tables)
}

async function updateRow(
  tables: Tables,
  thing: keyof typeof tableOf,
  before: Row,
  after: Row,
): Promise<void> {
  const differing = Object.entries(after).filter(([column, value]) => value !== before[column])
  await tables
    .updateTable(tableOf[thing])
    .set(Object.fromEntries(differing))
    .where(isRow(thing, before))
    .execute()
}

function isRow(thing: keyof typeof tableOf, row: Row) {
  const conditions = keyOf[thing].map((column) => sql`${sql.ref(column)} = ${row[column]}`)
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}
