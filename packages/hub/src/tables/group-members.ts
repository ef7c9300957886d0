/** Memberships in teams that come from the groups of an identity provider. */

import type { AccountId } from '@latchkey/protocol'
import type { GroupMemberChange } from './change.ts'
import type { Reading } from './directory.ts'

/** With the names that an entry of the journal needs. */
export function groupMemberships(tables: Reading) {
  return tables
    .selectFrom('group_members')
    .innerJoin('teams', 'teams.id', 'group_members.team_id')
    .innerJoin('namespaces', 'namespaces.id', 'teams.namespace_id')
    .innerJoin('accounts', 'accounts.id', 'group_members.account_id')
    .selectAll('group_members')
    .select(['teams.name as team', 'teams.role', 'namespaces.id as namespace_id'])
    .select(['namespaces.name as namespace', 'accounts.name as account'])
    .orderBy('group_members.team_id')
    .orderBy('group_members.provider')
    .orderBy('group_members.group_name')
    .orderBy('group_members.issuer')
    .orderBy('group_members.subject')
}

export type NamedMembership = Awaited<
  ReturnType<ReturnType<typeof groupMemberships>['execute']>
>[number]

export function endMembership({
  team,
  role,
  namespace,
  namespace_id,
  account,
  ...before
}: NamedMembership): GroupMemberChange {
  return {
    thing: 'group-member',
    before,
    team: { id: before.team_id, name: team, role },
    namespace: { id: namespace_id, name: namespace },
    account: { id: before.account_id, name: account },
  }
}

/** Ends those of one account, or all: after a restore, a failover or a rollback an end may be lost. */
export async function endGroupMemberships(
  tables: Reading,
  now: number,
  accountId?: AccountId,
): Promise<GroupMemberChange[]> {
  const live = groupMemberships(tables).where('group_members.until', '>', now)
  const rows = await (accountId === undefined
    ? live
    : live.where('group_members.account_id', '=', accountId)
  ).execute()
  return rows.map(endMembership)
}
