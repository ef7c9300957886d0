/** The roles that accounts hold at several namespaces or repositories, read in few statements. */

import type { InputPath } from '@latchkey/admin-api'
import type { Refusal, RepositoryUid } from '@latchkey/protocol'
import type { Change } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'
import { noAccount } from '../verbs/accounts.ts'
import { ownedByPublisher } from '../verbs/publisher-account.ts'
import type { RoleKind } from '../verbs/roles.ts'
import { absent, at, exactly, type Planning } from './planning.ts'

export interface StoredRole {
  readonly account: AccountRow
  readonly role: string
}

/** By the id of the namespace, or by the uid of the repository. */
export type StoredRoles = ReadonlyMap<string, readonly StoredRole[]>

export async function storedMembers(
  tables: Reading,
  namespaceIds: readonly string[],
): Promise<StoredRoles> {
  const roles = new Map<string, StoredRole[]>()
  for (const ids of chunked(namespaceIds)) {
    const rows = await tables
      .selectFrom('members')
      .innerJoin('accounts', 'accounts.id', 'members.account_id')
      .selectAll('accounts')
      .select(['members.role', 'members.namespace_id as place'])
      .where('members.namespace_id', 'in', ids)
      .execute()
    for (const row of rows) add(roles, row)
  }
  return roles
}

export async function storedCollaborators(
  tables: Reading,
  repositoryUids: readonly RepositoryUid[],
): Promise<StoredRoles> {
  const roles = new Map<string, StoredRole[]>()
  for (const uids of chunked(repositoryUids)) {
    const rows = await tables
      .selectFrom('collaborators')
      .innerJoin('accounts', 'accounts.id', 'collaborators.account_id')
      .selectAll('accounts')
      .select(['collaborators.role', 'collaborators.repository_uid as place'])
      .where('collaborators.repository_uid', 'in', uids)
      .execute()
    for (const row of rows) add(roles, row)
  }
  return roles
}

function add(
  roles: Map<string, StoredRole[]>,
  { place, role, ...account }: AccountRow & { readonly place: string; readonly role: string },
): void {
  const held = roles.get(place) ?? []
  held.push({ account, role })
  roles.set(place, held)
}

interface RoleList<Place> {
  readonly place: Place
  readonly stored: readonly StoredRole[] | undefined
  readonly path: InputPath
  /** By account name; undefined leaves the stored list alone. */
  readonly roles: Readonly<Record<string, string>> | undefined
}

export function replaceRoles<Where, Place>(
  planning: Planning,
  kind: RoleKind<Where, Place>,
  { place, stored = [], path, roles }: RoleList<Place>,
): Change[] | Refusal {
  if (roles === undefined) return []
  const { accounts, publisherAccounts } = planning
  const pending = new Map<string, { account: AccountRow; after: string }>()
  for (const [name, after] of Object.entries(roles)) {
    const account = exactly(accounts, name)
    if (account === undefined) {
      return at([...path, name], absent(planning, { what: 'account', name }, noAccount(name)))
    }
    const owner = publisherAccounts.get(account.id)
    if (owner !== undefined) return at([...path, name], ownedByPublisher(name, owner))
    pending.set(account.id, { account, after })
  }
  const changes: Change[] = []
  for (const { account, role: before } of stored) {
    // The roles of an account that pruning deletes go with it.
    if (exactly(accounts, account.name) === undefined) continue
    if (publisherAccounts.has(account.id)) continue
    const after = pending.get(account.id)?.after
    pending.delete(account.id)
    if (after !== before) changes.push(kind.change(place, { account, before, after }))
  }
  for (const { account, after } of pending.values()) {
    changes.push(kind.change(place, { account, before: undefined, after }))
  }
  return changes
}
