/** Who a hub token speaks for, found by its hash. */

import type { DatabaseSync } from 'node:sqlite'
import type { AccountId, HubTokenId, UnixSeconds } from '@latchkey/protocol'
import type { CallerRecord } from '../../access/access-store.ts'

interface CallerRow {
  account_id: AccountId
  account_name: string
  disabled: number
  administrator: number
  id: HubTokenId
  kind: CallerRecord['kind']
  grants: string
  verb_groups: string | null
  expires_at: UnixSeconds | null
  revoked_at: UnixSeconds | null
}

export type FindCaller = (hubTokenHash: string) => CallerRecord | undefined

export function prepareFindCaller(database: DatabaseSync): FindCaller {
  const byHash = database.prepare(`
    SELECT t.account_id, a.name AS account_name, a.disabled, a.administrator,
           t.id, t.kind, t.grants, t.verb_groups, t.expires_at, t.revoked_at
    FROM hub_tokens t JOIN accounts a ON a.id = t.account_id
    WHERE t.secret_hash = ?`)
  return (hubTokenHash) => {
    const row = byHash.get(hubTokenHash) as CallerRow | undefined
    return row === undefined ? undefined : callerOf(row)
  }
}

function callerOf(row: CallerRow): CallerRecord {
  return {
    accountId: row.account_id,
    accountName: row.account_name,
    accountDisabled: row.disabled === 1,
    administrator: row.administrator === 1,
    hubTokenId: row.id,
    kind: row.kind,
    grants: JSON.parse(row.grants),
    ...(row.verb_groups === null ? {} : { verbGroups: JSON.parse(row.verb_groups) }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
  }
}
