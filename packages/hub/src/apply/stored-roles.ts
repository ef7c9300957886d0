/** The roles that accounts hold at several namespaces or repositories, read in few statements. */

import type { RepositoryUid } from '@latchkey/protocol'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'

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
