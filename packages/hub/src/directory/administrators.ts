/** What an admin hub token that is limited to verb groups may not do: reach further than it does itself. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import type { VerbGroup } from './verb.ts'

/** The machine's own commands are unlimited; so is `apply`, which reaches everything. */
export function isUnlimited(actor: Caller | undefined): boolean {
  return actor?.verbGroups === undefined || actor.verbGroups.includes('apply')
}

export function mayUse(actor: Caller | undefined, group: VerbGroup): boolean {
  return isUnlimited(actor) || (actor?.verbGroups?.includes(group) ?? false)
}

/** Whoever appoints, enables or removes administrators decides who is unlimited, so must be it. */
export function refuseTouchingAdministrator(actor: Caller | undefined): Refusal | undefined {
  if (isUnlimited(actor)) return undefined
  return lacking(
    'An admin hub token that is limited to verb groups may not make, change or delete an administrator.',
  )
}

/** `groups` undefined is an admin token without limits. */
export function refuseBeyondOwnGroups(
  actor: Caller | undefined,
  groups: readonly string[] | undefined,
): Refusal | undefined {
  if (isUnlimited(actor)) return undefined
  const own = actor?.verbGroups ?? []
  if (groups?.every((group) => own.includes(group))) return undefined
  return lacking(
    `An admin hub token that is limited to verb groups (${own.join(', ')}) may not make or change one that reaches further.`,
  )
}

/** `endsAt` null is never. Whoever is limited in time and reach makes nothing that lasts longer. */
export function refuseBeyondOwnEnd(
  actor: Caller | undefined,
  endsAt: number | null,
): Refusal | undefined {
  if (isUnlimited(actor) || actor?.expiresAt === undefined) return undefined
  if (endsAt !== null && endsAt <= actor.expiresAt) return undefined
  return lacking(
    'An admin hub token that is limited to verb groups may not make or change one that ends later than itself.',
  )
}

function lacking(what: string): Refusal {
  return refuse('permission_denied', `${what} Use one without such a limit.`, {
    missing: 'an admin hub token that is not limited to verb groups',
  })
}
