/** Roles of accounts: as members of a namespace or as collaborators of one repository. */

import { role } from '@latchkey/admin-api'
import { isRefusal, type Refusal, type Role } from '@latchkey/protocol'
import { countOf } from '../tables/columns.ts'
import type { ChangeWork, Reading } from '../tables/directory.ts'
import { findAccount, noAccount } from './account-rows.ts'
import type { Does } from './does.ts'
import { makePage, type Page } from './page.ts'
import { collaborators, members, type RoleKind } from './role-kinds.ts'

export const setMember: Does<'member set'> = async (work, { namespace, account, role }) =>
  (await setRole(work, members, { where: namespace, account, role })) ?? {
    namespace,
    account,
    role,
  }

export const listMembers: Does<'member list'> = ({ tables }, { namespace, ...page }) =>
  listRoles(tables, members, { where: namespace, ...page }, ({ name }) => ({ namespace: name }))

export const deleteMember: Does<'member delete'> = async (work, { namespace, account }) =>
  (await endRole(work, members, { where: namespace, account })) ?? { deleted: account }

export const setCollaborator: Does<'collaborator set'> = async (work, input) => {
  const { repository, account, role } = input
  const found = await collaborators.find(work.tables, repository)
  if (isRefusal(found)) return found
  const refused = await setRole(work, collaborators, { where: repository, account, role })
  return refused ?? { repository: found.path, account, role }
}

export const listCollaborators: Does<'collaborator list'> = ({ tables }, { repository, ...page }) =>
  listRoles(tables, collaborators, { where: repository, ...page }, ({ path }) => ({
    repository: path,
  }))

export const deleteCollaborator: Does<'collaborator delete'> = async (work, input) => {
  const { repository: where, account } = input
  return (await endRole(work, collaborators, { where, account })) ?? { deleted: account }
}

interface Named<Where> {
  readonly where: Where
  readonly account: string
}

async function setRole<Where, Place>(
  { tables, put }: ChangeWork,
  kind: RoleKind<Where, Place>,
  { role, ...named }: Named<Where> & { readonly role: Role },
): Promise<Refusal | undefined> {
  const found = await findRole(tables, kind, named)
  if (isRefusal(found)) return found
  const { place, account, before } = found
  await put([kind.change(place, { account, before, after: role })])
  return undefined
}

async function endRole<Where, Place>(
  { tables, put }: ChangeWork,
  kind: RoleKind<Where, Place>,
  named: Named<Where>,
): Promise<Refusal | undefined> {
  const found = await findRole(tables, kind, named)
  if (isRefusal(found)) return found
  const { place, account, before } = found
  if (before === undefined) return kind.noRole(named.where, named.account)
  await put([kind.change(place, { account, before, after: undefined })])
  return undefined
}

async function findRole<Where, Place>(
  tables: Reading,
  kind: RoleKind<Where, Place>,
  named: Named<Where>,
) {
  const place = await kind.find(tables, named.where)
  if (isRefusal(place)) return place
  const account = await findAccount(tables, named.account)
  if (account === undefined) return noAccount(named.account)
  const row = await tables
    .selectFrom(kind.held(tables, place))
    .select('held.role')
    .where('held.account_id', '=', account.id)
    .executeTakeFirst()
  return { place, account, before: row?.role }
}

interface ListOf<Where> {
  readonly where: Where
  readonly limit: number
  readonly after?: string | undefined
}

async function listRoles<Where, Place, Shown>(
  tables: Reading,
  kind: RoleKind<Where, Place>,
  { where, limit, after = '' }: ListOf<Where>,
  nameOf: (place: Place) => Shown,
): Promise<Page<Shown & { account: string; role: Role }> | Refusal> {
  const place = await kind.find(tables, where)
  if (isRefusal(place)) return place
  const all = tables
    .selectFrom(kind.held(tables, place))
    .innerJoin('accounts', 'accounts.id', 'held.account_id')
  const rows = await all
    .select(['accounts.name', 'held.role'])
    .where('accounts.name', '>', after)
    .orderBy('accounts.name')
    .limit(limit + 1)
    .execute()
  const total = await countOf(all)
  return makePage(
    { rows, total, limit },
    (row) => ({ ...nameOf(place), account: row.name, role: role.parse(row.role) }),
    ({ name }) => name,
  )
}
