/** The row of a hub token and its account, as SQLite has it: seconds, 0 and 1, JSON as text. */

import type { AccountId, HubTokenId, UnixSeconds } from '@latchkey/protocol'
import type { CallerRecord } from '../../access/access-store.ts'

export interface CallerRow {
  readonly account_id: AccountId
  readonly account_name: string
  readonly disabled: number
  readonly administrator: number
  readonly hub_token_id: HubTokenId
  readonly kind: CallerRecord['kind']
  readonly grants: string
  readonly verb_groups: string | null
  readonly expires_at: UnixSeconds | null
  readonly revoked_at: UnixSeconds | null
}

export function callerOf(row: CallerRow): CallerRecord {
  return {
    accountId: row.account_id,
    accountName: row.account_name,
    accountDisabled: row.disabled === 1,
    administrator: row.administrator === 1,
    hubTokenId: row.hub_token_id,
    kind: row.kind,
    grants: JSON.parse(row.grants),
    ...(row.verb_groups === null ? {} : { verbGroups: JSON.parse(row.verb_groups) }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
  }
}
