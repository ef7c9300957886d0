/** Which storage tokens end when a team, or an account in it, loses a role. */

import type { AccountId, RepositoryUid } from '@latchkey/protocol'
import type { RevocationTarget } from '@latchkey/token'
import type { Change } from '../tables/change.ts'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { IdentityRow, NamespaceRow, TeamGroupRow, TeamRow } from '../tables/rows.ts'

type ChangeOf<Thing extends Change['thing']> = Extract<Change, { thing: Thing }>

export interface TeamTargets {
  /** The team goes, or its role in the whole namespace does. */
  ofTeam(team: TeamRow | undefined, namespace: NamespaceRow): Promise<readonly RevocationTarget[]>
  ofMember(
    change: Pick<ChangeOf<'team-member' | 'group-member'>, 'team' | 'namespace' | 'account'>,
  ): Promise<readonly RevocationTarget[]>
  /** The memberships that come from the group go with it. */
  ofGroup(change: ChangeOf<'team-group'>): Promise<readonly RevocationTarget[]>
  /** The memberships that its provider gives go with it. */
  ofIdentity(identity: IdentityRow | undefined): Promise<readonly RevocationTarget[]>
  ofRole(change: ChangeOf<'team-role'>): Promise<readonly RevocationTarget[]>
}

/** A larger team ends the tokens of whole repositories: gates keep every entry. */
export const maxAccounts = 256

/** Reads the directory as it was before the change. */
export function teamTargets(tables: Reading): TeamTargets {
  return {
    async ofTeam(team, namespace) {
      if (team === undefined || !(await givesRoles(tables, team))) return []
      const accounts = await accountsIn(tables, team.id)
      if (accounts.length <= maxAccounts) {
        return accounts.map((id) => inNamespace(id, namespace))
      }
      const uids = await repositoriesOf(tables, team)
      return uids.map((id) => ({ kind: 'repository', id }))
    },
    async ofMember({ team, namespace, account }) {
      return (await givesRoles(tables, team)) ? [inNamespace(account.id, namespace)] : []
    },
    async ofGroup({ before, team, namespace }) {
      if (before === undefined || !(await givesRoles(tables, team))) return []
      const accounts = await accountsBy(tables, before)
      if (accounts.length <= maxAccounts) return accounts.map((id) => inNamespace(id, namespace))
      const uids = await repositoriesOf(tables, team)
      return uids.map((id) => ({ kind: 'repository', id }))
    },
    async ofIdentity(identity) {
      if (identity === undefined) return []
      const rows = await tables
        .selectFrom('group_members')
        .innerJoin('teams', 'teams.id', 'group_members.team_id')
        .innerJoin('namespaces', 'namespaces.id', 'teams.namespace_id')
        .select(['account_id', 'namespaces.name'])
        .distinct()
        .where('issuer', '=', identity.issuer)
        .where('subject', '=', identity.subject)
        .execute()
      return rows.map((row) => inNamespace(row.account_id, row))
    },
    async ofRole({ team, repository: { uid } }) {
      const accounts = await accountsIn(tables, team.id)
      if (accounts.length > maxAccounts) return [{ kind: 'repository', id: uid }]
      return accounts.map((id) => ({ kind: 'account+repository', id: `${id}/${uid}` }))
    },
  }
}

function inNamespace(accountId: AccountId, { name }: Pick<NamespaceRow, 'name'>): RevocationTarget {
  return { kind: 'account+namespace', id: `${accountId}/${name}` }
}

async function givesRoles(
  tables: Reading,
  { id, role }: Pick<TeamRow, 'id' | 'role'>,
): Promise<boolean> {
  if (role !== null) return true
  return (await countOf(tables.selectFrom('team_roles').where('team_id', '=', id))) > 0
}

async function accountsIn(tables: Reading, teamId: string): Promise<readonly AccountId[]> {
  const rows = await tables
    .selectFrom('team_members')
    .select('account_id')
    .where('team_id', '=', teamId)
    .union((nested) =>
      nested.selectFrom('group_members').select('account_id').where('team_id', '=', teamId),
    )
    .limit(maxAccounts + 1)
    .execute()
  return rows.map(({ account_id }) => account_id)
}

async function accountsBy(
  tables: Reading,
  { team_id, provider, group_name }: TeamGroupRow,
): Promise<readonly AccountId[]> {
  const rows = await tables
    .selectFrom('group_members')
    .select('account_id')
    .distinct()
    .where('team_id', '=', team_id)
    .where('provider', '=', provider)
    .where('group_name', '=', group_name)
    .limit(maxAccounts + 1)
    .execute()
  return rows.map(({ account_id }) => account_id)
}

/** Where the team has a role. */
async function repositoriesOf(
  tables: Reading,
  { id, namespace_id, role }: TeamRow,
): Promise<readonly RepositoryUid[]> {
  if (role === null) {
    const roles = tables.selectFrom('team_roles').select('repository_uid as uid')
    return (await roles.where('team_id', '=', id).execute()).map(({ uid }) => uid)
  }
  const inside = tables.selectFrom('repositories').select('uid')
  return (await inside.where('namespace_id', '=', namespace_id).execute()).map(({ uid }) => uid)
}
