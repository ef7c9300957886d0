/** A list of roles by account, as a file gives it: it replaces the stored one. */

import type { InputPath } from '@latchkey/admin-api'
import type { Refusal } from '@latchkey/protocol'
import type { Change } from '../tables/change.ts'
import type { AccountRow } from '../tables/rows.ts'
import { noAccount } from '../verbs/account-rows.ts'
import type { RoleKind } from '../verbs/role-kinds.ts'
import { absent, at, exactly, type Planning } from './planning.ts'
import type { StoredRole } from './stored-roles.ts'

interface RoleList<Place> {
  readonly place: Place
  readonly stored: readonly StoredRole[] | undefined
  readonly path: InputPath
  /** By account name; undefined leaves the stored list alone. */
  readonly wanted: Readonly<Record<string, string>> | undefined
}

export function replaceRoles<Where, Place>(
  planning: Planning,
  kind: RoleKind<Where, Place>,
  { place, stored = [], path, wanted }: RoleList<Place>,
): Change[] | Refusal {
  if (wanted === undefined) return []
  const { accounts } = planning
  const pending = new Map<string, { account: AccountRow; after: string }>()
  for (const [name, after] of Object.entries(wanted)) {
    const account = exactly(accounts, name)
    if (account === undefined) {
      return at([...path, name], absent(planning, { what: 'account', name }, noAccount(name)))
    }
    pending.set(account.id, { account, after })
  }
  const changes: Change[] = []
  for (const { account, role: before } of stored) {
    // The roles of an account that pruning deletes go with it.
    if (exactly(accounts, account.name) === undefined) continue
    const after = pending.get(account.id)?.after
    pending.delete(account.id)
    if (after !== before) changes.push(kind.change(place, { account, before, after }))
  }
  for (const { account, after } of pending.values()) {
    changes.push(kind.change(place, { account, before: undefined, after }))
  }
  return changes
}
