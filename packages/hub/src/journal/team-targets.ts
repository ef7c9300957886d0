/** Which storage tokens end when a team, or an account in it, loses a role. */

import type { AccountId, RepositoryUid } from '@latchkey/protocol'
import type { RevocationTarget } from '@latchkey/token'
import type { Change } from '../tables/change.ts'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { NamespaceRow, TeamRow } from '../tables/rows.ts'

type ChangeOf<Thing extends Change['thing']> = Extract<Change, { thing: Thing }>

export interface TeamTargets {
  /** The team goes, or its role in the whole namespace does. */
  ofTeam(team: TeamRow | undefined, namespace: NamespaceRow): Promise<readonly RevocationTarget[]>
  ofMember(change: ChangeOf<'team-member'>): Promise<readonly RevocationTarget[]>
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
    async ofRole({ team, repository: { uid } }) {
      const accounts = await accountsIn(tables, team.id)
      if (accounts.length > maxAccounts) return [{ kind: 'repository', id: uid }]
      return accounts.map((id) => ({ kind: 'account+repository', id: `${id}/${uid}` }))
    },
  }
}

function inNamespace(accountId: AccountId, { name }: NamespaceRow): RevocationTarget {
  return { kind: 'account+namespace', id: `${accountId}/${name}` }
}

async function givesRoles(tables: Reading, { id, role }: TeamRow): Promise<boolean> {
  if (role !== null) return true
  return (await countOf(tables.selectFrom('team_roles').where('team_id', '=', id))) > 0
}

async function accountsIn(tables: Reading, teamId: string): Promise<readonly AccountId[]> {
  const rows = await tables
    .selectFrom('team_members')
    .select('account_id')
    .where('team_id', '=', teamId)
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
