import type { JournalEntry } from '@latchkey/admin-api'
import { sql } from 'kysely'
import type { Reading } from '../tables/directory.ts'
import type { JournalRow } from '../tables/rows.ts'

interface JournalQuestion {
  /** Only entries with a larger number. */
  readonly after: number
  readonly limit: number
  /** The newest entries instead of the oldest; the order stays the same. */
  readonly isFromEnd?: boolean
  readonly repository?: string | undefined
  /** The account that the entry concerns, or that made it. */
  readonly account?: string | undefined
}

export async function findEntries(
  tables: Reading,
  { after, limit, isFromEnd = false, repository, account }: JournalQuestion,
): Promise<JournalRow[]> {
  const entries = tables
    .selectFrom('journal')
    .selectAll()
    .where('number', '>', after)
    .$if(repository !== undefined, (some) => some.where('repository', '=', repository ?? ''))
    .orderBy('number', isFromEnd ? 'desc' : 'asc')
    .limit(limit)
  if (account === undefined) return inOrder(await entries.execute())
  // Each by its own index: one statement for both would sort all that the account ever did for every page.
  const concerning = await entries.where('account', '=', account).execute()
  const made = await entries.where('actor_account', '=', account).execute()
  const both = new Map([...concerning, ...made].map((row) => [row.number, row]))
  const rows = inOrder([...both.values()])
  return isFromEnd ? rows.slice(-limit) : rows.slice(0, limit)
}

function inOrder(rows: readonly JournalRow[]): JournalRow[] {
  return rows.toSorted((one, other) => one.number - other.number)
}

export async function hasEntry(tables: Reading, number: number): Promise<boolean> {
  const entry = tables.selectFrom('journal').select('number').where('number', '=', number)
  return (await entry.executeTakeFirst()) !== undefined
}

/** Where the journal ends, and up to where entries may have been removed. */
export function findHead(tables: Reading): Promise<{ number: number; pruned_through: number }> {
  return tables
    .selectFrom('journal_head')
    .select(['number', 'pruned_through'])
    .executeTakeFirstOrThrow()
}

export function shownEntry(row: JournalRow): JournalEntry {
  const { before, after } = JSON.parse(row.detail)
  return {
    number: row.number,
    previous: row.previous,
    at: timeOf(row),
    verb: row.verb,
    thing: row.thing,
    did: row.did,
    actor: present({
      account: row.actor_account,
      accountId: row.actor_account_id,
      hubToken: row.actor_hub_token,
      user: row.actor_user,
    }),
    ...present({
      requestId: row.request_id,
      account: row.account,
      accountId: row.account_id,
      hubToken: row.hub_token_id,
      namespace: row.namespace,
      namespaceId: row.namespace_id,
      repository: row.repository,
      repositoryUid: row.repository_uid,
      ref: row.ref,
      refUid: row.ref_uid,
    }),
    narrows: row.narrows === 1,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

function timeOf({ at_milliseconds }: Pick<JournalRow, 'at_milliseconds'>): string {
  return new Date(at_milliseconds).toISOString()
}

/** Without the members that are null. */
function present<Name extends string>(members: Readonly<Record<Name, string | null>>) {
  const entries = Object.entries<string | null>(members).filter(([, value]) => value !== null)
  return Object.fromEntries(entries) as Partial<Record<Name, string>>
}

const names = ['account', 'repository', 'ref'] as const

type Named = Partial<Pick<JournalRow, (typeof names)[number]>>

/** The sentence about the last removal of this thing; undefined where the journal knows of none. */
export async function lastRemoval(
  tables: Reading,
  thing: 'account' | 'repository' | 'ref',
  named: Named,
): Promise<string | undefined> {
  const row = await tables
    .selectFrom('journal')
    .selectAll()
    .where('thing', '=', thing)
    // Written out, so that the index of removals is used.
    .where('did', '=', sql.lit('deleted'))
    .where(({ eb, and }) =>
      and(
        names.map((column) =>
          eb(column, named[column] == null ? 'is' : '=', named[column] ?? null),
        ),
      ),
    )
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (
    row && `was removed by ${byWhom(row)} at ${timeOf(row)} (${row.verb}, journal ${row.number})`
  )
}

function byWhom({ actor_account, actor_user }: JournalRow): string {
  if (actor_account !== null) return `"${actor_account}"`
  return actor_user === null ? 'this machine' : `the system user "${actor_user}"`
}
