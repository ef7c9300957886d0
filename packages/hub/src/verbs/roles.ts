/** Roles of accounts: as members of a namespace or as collaborators of one repository. */

import { role } from '@latchkey/admin-api'
import {
  type AccountId,
  formatRepoRef,
  isRefusal,
  type Refusal,
  type RepoRef,
  type Role,
  refuse,
} from '@latchkey/protocol'
import type { AliasedSelectQueryBuilder } from 'kysely'
import type { Change } from '../tables/change.ts'
import { countOf } from '../tables/columns.ts'
import type { ChangeWork, Reading } from '../tables/directory.ts'
import type { AccountRow, NamespaceRow, RepositoryRow } from '../tables/rows.ts'
import { findAccount, noAccount } from './accounts.ts'
import { type Does, makePage, type Page } from './does.ts'
import { findNamespace, noNamespace } from './namespaces.ts'
import { refusePublisherAccount } from './publisher-account.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'

export const members: RoleKind<string, NamespaceRow> = {
  find: async (tables, name) => (await findNamespace(tables, name)) ?? noNamespace(name),
  held: (tables, { id }) =>
    tables
      .selectFrom('members')
      .select(['account_id', 'role'])
      .where('namespace_id', '=', id)
      .as('held'),
  change(namespace, { account, before, after }) {
    const rowWith = (role: string | undefined) =>
      role === undefined ? undefined : { namespace_id: namespace.id, account_id: account.id, role }
    return { thing: 'member', before: rowWith(before), after: rowWith(after), namespace, account }
  },
  noRole: (namespace, account) =>
    refuse(
      'resource_not_found',
      `The account "${account}" is no member of "${namespace}". List the members to see who is.`,
      { next: ['member', 'list', namespace] },
    ),
}

export const collaborators: RoleKind<RepoRef, RepositoryRow> = {
  find: async (tables, repo) => (await findRepositoryRow(tables, repo)) ?? noRepository(repo),
  held: (tables, { uid }) =>
    tables
      .selectFrom('collaborators')
      .select(['account_id', 'role'])
      .where('repository_uid', '=', uid)
      .as('held'),
  change(repository, { account, before, after }) {
    const rowWith = (role: string | undefined) =>
      role === undefined
        ? undefined
        : { repository_uid: repository.uid, account_id: account.id, role }
    return {
      thing: 'collaborator',
      before: rowWith(before),
      after: rowWith(after),
      repository,
      account,
    }
  },
  noRole: (repository, account) =>
    refuse(
      'resource_not_found',
      `The account "${account}" is no collaborator of ${formatRepoRef(repository)}. List the collaborators to see who is.`,
      { next: ['collaborator', 'list', formatRepoRef(repository)] },
    ),
}

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
  const managed = await refusePublisherAccount(tables, account)
  if (managed !== undefined) return managed
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

/** Whether the account has the role without any team: from the namespace or as a collaborator. */
export async function holdsItself(
  tables: Reading,
  { account, repository, role }: HeldHere,
): Promise<boolean> {
  const member = await tables
    .selectFrom('members')
    .select('role')
    .where('namespace_id', '=', repository.namespace_id)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  const collaborator = await tables
    .selectFrom('collaborators')
    .select('role')
    .where('repository_uid', '=', repository.uid)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  return member?.role === role || collaborator?.role === role
}

interface HeldHere {
  readonly account: Pick<AccountRow, 'id'>
  readonly repository: RepositoryRow
  /** The strongest that the account has there. */
  readonly role: Role
}

interface HeldRole {
  readonly account_id: AccountId
  readonly role: string
}

interface RoleChange {
  readonly account: AccountRow
  readonly before: string | undefined
  readonly after: string | undefined
}

export interface RoleKind<Where, Place> {
  find(tables: Reading, where: Where): Promise<Place | Refusal>
  /** Every role that is held there. */
  held(tables: Reading, place: Place): AliasedSelectQueryBuilder<HeldRole, 'held'>
  change(place: Place, change: RoleChange): Change
  noRole(where: Where, account: string): Refusal
}
