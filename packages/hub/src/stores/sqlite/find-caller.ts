/** Who a hub token speaks for, found by its hash. */

import type { DatabaseSync } from 'node:sqlite'
import type { CallerRecord } from '../../access/access-store.ts'
import { type CallerRow, callerOf } from './caller-row.ts'

export type FindCaller = (hubTokenHash: string) => CallerRecord | undefined

export function prepareFindCaller(database: DatabaseSync): FindCaller {
  const byHash = database.prepare(`
    SELECT t.account_id, a.name AS account_name, a.disabled, a.administrator,
           t.id AS hub_token_id, t.kind, t.grants, t.verb_groups, t.expires_at, t.revoked_at
    FROM hub_tokens t JOIN accounts a ON a.id = t.account_id
    WHERE t.secret_hash = ?`)
  return (hubTokenHash) => {
    const row = byHash.get(hubTokenHash) as CallerRow | undefined
    return row === undefined ? undefined : callerOf(row)
  }
}
