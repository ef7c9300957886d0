/** A list of roles by account, as a file gives it: it replaces the stored one. */

import type { InputPath } from '@latchkey/admin-api'
import type { Refusal } from '@latchkey/protocol'
import { noAccount } from '../nouns/account-rows.ts'
import type { RoleKind } from '../nouns/role-kinds.ts'
import type { Change } from '../port/change.ts'
import type { AccountRow } from '../port/rows.ts'
import { type Applying, absent, at, exactly } from './applying.ts'

interface RoleList<Place> {
  readonly place: Place
  /** Nothing is stored yet. */
  readonly isNew: boolean
  readonly path: InputPath
  /** By account name; undefined leaves the stored list alone. */
  readonly wanted: Readonly<Record<string, string>> | undefined
}

export async function replaceRoles<Where, Place>(
  applying: Applying,
  kind: RoleKind<Where, Place>,
  { place, isNew, path, wanted }: RoleList<Place>,
): Promise<Change[] | Refusal> {
  if (wanted === undefined) return []
  const { work, accounts } = applying
  const pending = new Map<string, { account: AccountRow; after: string }>()
  for (const [name, after] of Object.entries(wanted)) {
    const account = exactly(accounts, name)
    if (account === undefined) {
      return at([...path, name], absent(applying, { what: 'account', name }, noAccount(name)))
    }
    pending.set(account.id, { account, after })
  }
  const query = work.tables
    .selectFrom(kind.held(work.tables, place))
    .innerJoin('accounts', 'accounts.id', 'held.account_id')
  const stored = isNew ? [] : await query.selectAll('accounts').select('held.role').execute()
  const changes: Change[] = []
  for (const { role: before, ...account } of stored) {
    const after = pending.get(account.id)?.after
    pending.delete(account.id)
    if (after !== before) changes.push(kind.change(place, { account, before, after }))
  }
  for (const { account, after } of pending.values()) {
    changes.push(kind.change(place, { account, before: undefined, after }))
  }
  return changes
}
