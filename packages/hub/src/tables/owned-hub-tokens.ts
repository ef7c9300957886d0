/** Hub tokens with the names of the accounts that they belong to. */

import type { Change } from './change.ts'
import type { Reading } from './directory.ts'
import type { HubTokenRow } from './rows.ts'

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

export function revokeOwned(owned: OwnedHubTokenRow, now: number): Change {
  const { row, account } = splitOwned(owned)
  return { thing: 'hub-token', before: row, after: { ...row, revoked_at: now }, account }
}
