/** Conditions and counts that every noun's queries share, in SQL that every store understands. */

import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { JournaledChange } from './change.ts'
import type { Reading } from './directory.ts'
import type { HubTokenRow } from './rows.ts'

/** Names are unique ignoring case; the index is on the lower-case form. */
export function sameName(name: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(name) = ${name.toLowerCase()}`
}

/** Names are matched exactly; the first condition is there for its index. */
export function nameIs(name: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(name) = ${name.toLowerCase()} and name = ${name}`
}

export function samePath(path: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(path) = ${path.toLowerCase()}`
}

export async function countOf<Tables, Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<number> {
  const counted = query.select((all) => all.fn.countAll().as('count'))
  const row: { readonly count?: unknown } | undefined = await counted.executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** No statement may carry more values than any database takes. */
export const rowsPerStatement = 500

export function chunked<Item>(items: readonly Item[], most = rowsPerStatement): Item[][] {
  const chunks: Item[][] = []
  for (let at = 0; at < items.length; at += most) chunks.push(items.slice(at, at + most))
  return chunks
}

export type OwnedHubTokenRow = HubTokenRow & { readonly account: string }

export function ownedHubTokens(tables: Reading) {
  return tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .selectAll('hub_tokens')
    .select('accounts.name as account')
}

/** The row as the table has it, and its account. */
export function splitOwned({ account: name, ...row }: OwnedHubTokenRow) {
  return { row, account: { id: row.account_id, name } }
}

export function revokeOwned(owned: OwnedHubTokenRow, now: number): JournaledChange {
  const { row, account } = splitOwned(owned)
  return { thing: 'hub-token', before: row, after: { ...row, revoked_at: now }, account }
}
