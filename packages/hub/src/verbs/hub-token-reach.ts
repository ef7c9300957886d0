/** Which hub tokens an admin hub token may make, change or bring back to life. */

import type { HubTokenId, Refusal } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow, HubTokenRow } from '../tables/rows.ts'
import {
  exceedsRoles,
  refuseBeyondOwnEnd,
  refuseBeyondOwnGroups,
  refuseRevivingBeyondOwnEnd,
  refuseRevivingStorageToken,
} from './administrators.ts'
import type { NewHubToken } from './hub-token-rows.ts'
import { groupsOf } from './hub-token-view.ts'

export function refuseMakingHubToken(
  actor: Caller | undefined,
  { kind, verbGroups, expiresAt }: Omit<NewHubToken, 'name'>,
): Refusal | undefined {
  const beyond = exceedsRoles(kind) ? refuseBeyondOwnGroups(actor, verbGroups) : undefined
  return beyond ?? refuseBeyondOwnEnd(actor, expiresAt?.at ?? null)
}

/** Neither what it reaches now nor what it would reach may be more than the actor reaches. */
export function refuseChangingHubToken(
  actor: Caller | undefined,
  row: HubTokenRow,
  changed: HubTokenRow,
): Refusal | undefined {
  const beyond = exceedsRoles(row.kind)
    ? (refuseBeyondOwnGroups(actor, groupsOf(row)) ??
      refuseBeyondOwnGroups(actor, groupsOf(changed)))
    : undefined
  return beyond ?? refuseBeyondOwnEnd(actor, changed.expires_at)
}

interface Reviving {
  readonly tables: Reading
  readonly actor?: Caller | undefined
  /** Hub tokens that are revoked by the same change. */
  readonly revoked?: ReadonlySet<HubTokenId>
}

/** Enabling an account makes all its hub tokens work again; appointing an administrator, its admin ones. */
export async function refuseRevivingHubTokens(
  { tables, actor, revoked }: Reviving,
  row: AccountRow,
  changed: AccountRow,
): Promise<Refusal | undefined> {
  const enables = row.disabled === 1 && changed.disabled === 0
  const appoints = row.administrator === 0 && changed.administrator === 1
  if (!(enables || appoints)) return undefined
  const stored = await tables
    .selectFrom('hub_tokens')
    .select(['id', 'kind', 'expires_at'])
    .where('account_id', '=', row.id)
    .where('revoked_at', 'is', null)
    .execute()
  const live = stored.filter(({ id }) => !revoked?.has(id))
  const isBeyond = enables && live.some(({ kind }) => kind === 'storage')
  const beyond = isBeyond ? refuseRevivingStorageToken(actor) : undefined
  const ownEnd = actor?.expiresAt
  if (beyond !== undefined || ownEnd === undefined) return beyond
  const revived = enables ? live : live.filter(({ kind }) => kind === 'admin')
  const outlives = revived.some(({ expires_at }) => expires_at === null || expires_at > ownEnd)
  return outlives ? refuseRevivingBeyondOwnEnd(actor, row.name) : undefined
}
