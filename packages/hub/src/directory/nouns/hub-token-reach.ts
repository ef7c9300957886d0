/** Which hub tokens an admin hub token may make, change or bring back to life. */

import type { Refusal } from '@latchkey/protocol'
import type { Caller } from '../../identity/caller.ts'
import { countOf } from '../port/columns.ts'
import type { Reading } from '../port/directory.ts'
import type { AccountRow, HubTokenRow } from '../port/rows.ts'
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

/** Enabling an account makes all its hub tokens work again; appointing an administrator, its admin ones. */
export async function refuseRevivingHubTokens(
  { tables, actor }: { readonly tables: Reading; readonly actor?: Caller | undefined },
  row: AccountRow,
  changed: AccountRow,
): Promise<Refusal | undefined> {
  const enables = row.disabled === 1 && changed.disabled === 0
  const appoints = row.administrator === 0 && changed.administrator === 1
  if (!(enables || appoints)) return undefined
  const live = tables
    .selectFrom('hub_tokens')
    .where('account_id', '=', row.id)
    .where('revoked_at', 'is', null)
  const isBeyond = enables && (await countOf(live.where('kind', '=', 'storage'))) > 0
  const beyond = isBeyond ? refuseRevivingStorageToken(actor) : undefined
  const ownEnd = actor?.expiresAt
  if (beyond !== undefined || ownEnd === undefined) return beyond
  const outliving = live
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', ownEnd)]))
    .$if(!enables, (some) => some.where('kind', '=', 'admin'))
  return (await countOf(outliving)) === 0 ? undefined : refuseRevivingBeyondOwnEnd(actor, row.name)
}
