/**
 * Protects administrators and admin hub tokens: the last administrator stays, and no admin hub
 * token makes anything that reaches further or lasts longer than itself.
 */

import type { AdminScope } from '@latchkey/admin-api'
import { formatTime, type Refusal, refuse } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'
import { delegatedGroups } from './delegation.ts'

/** The machine's own commands are unlimited; so is `apply`, which reaches everything. */
export function isUnlimited(actor: Caller | undefined): boolean {
  if (actor?.namespaces !== undefined) return false
  return actor?.adminScopes === undefined || actor.adminScopes.includes('apply')
}

export function mayUse(actor: Caller | undefined, group: AdminScope): boolean {
  if (isUnlimited(actor)) return true
  const groups: readonly string[] = actor?.adminScopes ?? delegatedGroups
  return groups.includes(group)
}

/**
 * An actor that appoints, enables or removes administrators decides who is unlimited, so it must be
 * unlimited itself.
 */
export function refuseTouchingAdministrator(actor: Caller | undefined): Refusal | undefined {
  if (isUnlimited(actor)) return undefined
  return lacking(
    'An admin hub token that is limited to admin scopes may not make, change or delete an administrator.',
  )
}

/**
 * Only an enabled administrator can manage the directory from elsewhere, so one is left. Where all are disabled,
 * one of them is left, to be enabled again.
 */
export async function refuseLosingLast(
  { tables, actor }: { readonly tables: Reading; readonly actor: Caller | undefined },
  row: AccountRow,
  changed?: AccountRow,
): Promise<Refusal | undefined> {
  if (row.administrator === 0 || (changed !== undefined && administers(changed))) return undefined
  const stays = changed?.administrator === 1
  if (stays && (row.disabled === 1 || mayDisable(actor))) return undefined
  const others = tables
    .selectFrom('accounts')
    .where('administrator', '=', 1)
    .where('disabled', '<=', row.disabled)
    .where('id', '<>', row.id)
  return (await countOf(others)) > 0 ? undefined : lastAdministrator(row)
}

/** On the machine itself a leaked account is disabled at once, the last administrator too; it is enabled there again. */
export function mayDisable(actor: Caller | undefined): boolean {
  return actor === undefined
}

export function administers({ administrator, disabled }: AccountRow): boolean {
  return administrator === 1 && disabled === 0
}

export function lastAdministrator({ name, disabled }: AccountRow): Refusal {
  const last = disabled === 1 ? 'last administrator' : 'last administrator who is not disabled'
  return refuse(
    'conflict',
    `"${name}" is the ${last}, and without one nobody could manage this hub from elsewhere. Make another account an administrator first.`,
    { next: ['account', 'create', 'NAME', '--administrator'] },
  )
}

/** Kinds of hub tokens that do more than the roles of their account allow. */
export function exceedsRoles(kind: string): boolean {
  return kind === 'admin' || isOfService(kind)
}

/** Hub tokens of a storage and of a forge open the link, and no verb group allows that. */
export function isOfService(kind: string): boolean {
  return kind === 'storage' || kind === 'forge'
}

/** `groups` undefined is an admin token without limits, or one of a service: no verb group allows what that does. */
export function refuseBeyondOwnGroups(
  actor: Caller | undefined,
  groups: readonly string[] | undefined,
): Refusal | undefined {
  if (isUnlimited(actor)) return undefined
  const own = actor?.adminScopes ?? delegatedGroups
  if (groups?.every((group) => own.some((one) => one === group))) return undefined
  return lacking(
    `An admin hub token that is limited to admin scopes (${own.join(', ')}) may not make or change one that reaches further.`,
  )
}

/**
 * A hub token of any kind that an ending admin token makes or changes ends no later than the admin token.
 * `endsAt` null is never.
 */
export function refuseBeyondOwnEnd(
  actor: Caller | undefined,
  endsAt: number | null,
): Refusal | undefined {
  const ownEnd = actor?.expiresAt
  if (ownEnd === undefined || (endsAt !== null && endsAt <= ownEnd)) return undefined
  const time = formatTime(ownEnd)
  return refuse(
    'permission_denied',
    `Your admin hub token ends at ${time}, so a hub token that it makes or changes must end by then. Give an expiry up to that time, or use an admin hub token that ends later.`,
    { missing: `an expiry up to ${time}`, path: 'expiresAt' },
  )
}

/** Enabling an account makes its storage tokens work again, which is as much as making them. */
export function refuseRevivingServiceToken(actor: Caller | undefined): Refusal | undefined {
  if (isUnlimited(actor)) return undefined
  return lacking(
    'An admin hub token that is limited to admin scopes may not enable an account that has a hub token of kind storage or forge.',
  )
}

/** An ending admin token brings no hub token back to life that outlives it. */
export function refuseRevivingBeyondOwnEnd(
  actor: Caller | undefined,
  account: string,
): Refusal | undefined {
  if (actor?.expiresAt === undefined) return undefined
  const time = formatTime(actor.expiresAt)
  return refuse(
    'permission_denied',
    `Your admin hub token ends at ${time}, and this change would make hub tokens of "${account}" work that end later. Revoke those first, or use an admin hub token that ends later.`,
    { missing: 'an admin hub token that ends later' },
  )
}

function lacking(what: string): Refusal {
  return refuse(
    'permission_denied',
    `${what} Use an admin hub token that is not limited to admin scopes.`,
    { missing: 'an admin hub token that is not limited to admin scopes' },
  )
}
