/** A list of roles by account, as a file gives it: it replaces the stored one. */

import type { Refusal } from '@latchkey/protocol'
import { noAccount } from '../account-rows.ts'
import type { InputPath } from '../read-input.ts'
import { type Applying, at, exactly } from './applying.ts'

export interface HeldRole {
  readonly account_id: string
  readonly role: string
}

export interface RoleChanges {
  /** Accounts whose stored role goes or is replaced. */
  readonly dropped: readonly string[]
  readonly added: readonly HeldRole[]
}

export function compareRoles(
  { accounts }: Applying,
  stored: readonly HeldRole[],
  wanted: Readonly<Record<string, string>>,
  path: InputPath,
): RoleChanges | Refusal {
  const roles = new Map<string, string>()
  for (const [name, role] of Object.entries(wanted)) {
    const account = exactly(accounts, name)
    if (account === undefined) return at([...path, name], noAccount(name))
    roles.set(account.id, role)
  }
  const kept = new Set<string>()
  const dropped: string[] = []
  for (const { account_id, role } of stored) {
    if (roles.get(account_id) === role) kept.add(account_id)
    else dropped.push(account_id)
  }
  const added = Array.from(roles, ([account_id, role]) => ({ account_id, role }))
  return { dropped, added: added.filter(({ account_id }) => !kept.has(account_id)) }
}
