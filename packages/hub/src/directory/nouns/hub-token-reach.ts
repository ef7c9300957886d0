/** Which hub tokens an admin hub token may make, change or bring back to life. */

import type { Refusal } from '@latchkey/protocol'
import type { Caller } from '../../identity/caller.ts'
import { countOf } from '../port/columns.ts'
import type { Reading } from '../port/directory.ts'
import type { AccountRow, HubTokenRow } from '../port/rows.ts'
import {
  refuseBeyondOwnEnd,
  refuseBeyondOwnGroups,
  refuseRevivingBeyondOwnEnd,
} from './administrators.ts'
import type { NewHubToken } from './hub-token-rows.ts'
import { groupsOf } from './hub-token-view.ts'

export function refuseMakingHubToken(
  actor: Caller | undefined,
  { kind, verbGroups, expiresAt }: Omit<NewHubToken, 'name'>,
): Refusal | undefined {
  const beyond = kind === 'admin' ? refuseBeyondOwnGroups(actor, verbGroups) : undefined
  return beyond ?? refuseBeyondOwnEnd(actor, expiresAt?.at ?? null)
}

/** Neither what it reaches now nor what it would reach may be more than the actor reaches. */
export function refuseChangingHubToken(
  actor: Caller | undefined,
  row: HubTokenRow,
  changed: HubTokenRow,
): Refusal | undefined {
  const beyond =
    row.kind === 'admin'
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
  const ownEnd = actor?.expiresAt
  if (ownEnd === undefined || !(enables || appoints)) return undefined
  const outliving = tables
    .selectFrom('hub_tokens')
    .where('account_id', '=', row.id)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', ownEnd)]))
    .$if(!enables, (some) => some.where('kind', '=', 'admin'))
  return (await countOf(outliving)) === 0 ? undefined : refuseRevivingBeyondOwnEnd(actor, row.name)
}
