/** The two places where accounts hold roles: a namespace has members, a repository has collaborators. */

import {
  type AccountId,
  formatRepoRef,
  type Refusal,
  type RepoRef,
  refuse,
} from '@latchkey/protocol'
import type { AliasedSelectQueryBuilder } from 'kysely'
import type { Change } from '../tables/change.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow, NamespaceRow, RepositoryRow } from '../tables/rows.ts'
import { findNamespace, noNamespace } from './namespaces.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'

export interface HeldRole {
  readonly account_id: AccountId
  readonly role: string
}

export interface RoleChange {
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
