/** Teams that were deleted, or lost members or roles. */

import { type Role, roleCovers } from '@latchkey/protocol'
import type { Reading } from '../tables/directory.ts'
import { endMembership, groupMemberships } from '../tables/group-members.ts'
import type { TeamRow } from '../tables/rows.ts'
import { findRepositoryByUid } from '../verbs/repository-rows.ts'
import { hadNoMore, notThere, type Repeat, type ReportedEntry, repeated } from './commits.ts'
import { findAccount, leaveRole } from './repositories.ts'

export const repeatTeam: Repeat = async ({ tables, put }, entry) => {
  const team = await findTeam(tables, imageOf(entry)['id'])
  const namespace = team && (await findNamespace(tables, team.namespace_id))
  if (team === undefined || namespace === undefined) return notThere
  if (entry.did === 'deleted') {
    await put([{ thing: 'team', before: team, namespace }])
    return repeated
  }
  const left = (entry.after['role'] ?? null) as Role | null
  if (team.role === null || roleCovers(left ?? undefined, team.role as Role)) return hadNoMore
  await put([{ thing: 'team', before: team, after: { ...team, role: left }, namespace }])
  return repeated
}

export const repeatTeamMember: Repeat = async ({ tables, put }, entry) => {
  const team = await findTeam(tables, imageOf(entry)['teamId'])
  const namespace = team && (await findNamespace(tables, team.namespace_id))
  const account = await findAccount(tables, entry)
  if (team === undefined || namespace === undefined || account === undefined) return notThere
  const before = await tables
    .selectFrom('team_members')
    .selectAll()
    .where('team_id', '=', team.id)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (before === undefined) return notThere
  const change = { thing: 'team-member', before, team, namespace, account } as const
  if (entry.did === 'deleted') {
    await put([change])
    return repeated
  }
  const until = Date.parse(String(entry.after['until'])) / 1000
  if (before.until !== null && before.until <= until) return hadNoMore
  await put([{ ...change, after: { ...before, until } }])
  return repeated
}

export const repeatTeamRole: Repeat = async ({ tables, put }, entry) => {
  const team = await findTeam(tables, imageOf(entry)['teamId'])
  const repository = await findRepositoryByUid(tables, entry.repository_uid)
  if (team === undefined || repository === undefined) return notThere
  const before = await tables
    .selectFrom('team_roles')
    .selectAll()
    .where('repository_uid', '=', repository.uid)
    .where('team_id', '=', team.id)
    .executeTakeFirst()
  if (before === undefined) return notThere
  return leaveRole(entry, before, (after) =>
    put([{ thing: 'team-role', before, after, repository, team }]),
  )
}

export const repeatTeamGroup: Repeat = async ({ tables, put }, entry) => {
  const { teamId, provider, group } = imageOf(entry)
  const team = await findTeam(tables, teamId)
  const namespace = team && (await findNamespace(tables, team.namespace_id))
  if (team === undefined || namespace === undefined) return notThere
  const before = await tables
    .selectFrom('team_groups')
    .selectAll()
    .where('team_id', '=', team.id)
    .where('provider', '=', String(provider))
    .where('group_name', '=', String(group))
    .executeTakeFirst()
  if (before === undefined) return notThere
  await put([{ thing: 'team-group', before, team, namespace }])
  return repeated
}

/** One that ended sooner ends at once: the end of the restore ends those that are left. */
export const repeatGroupMember: Repeat = async ({ tables, put }, entry) => {
  const { teamId, provider, group, issuer, subject } = imageOf(entry)
  const membership = await groupMemberships(tables)
    .where('group_members.team_id', '=', String(teamId))
    .where('group_members.provider', '=', String(provider))
    .where('group_members.group_name', '=', String(group))
    .where('group_members.issuer', '=', String(issuer))
    .where('group_members.subject', '=', String(subject))
    .executeTakeFirst()
  if (membership === undefined) return notThere
  await put([endMembership(membership)])
  return repeated
}

/** A deleted row has no image after the change, and a new one none before. */
function imageOf({ before, after }: ReportedEntry) {
  return { ...before, ...after }
}

function findTeam(tables: Reading, id: unknown): Promise<TeamRow | undefined> {
  return tables.selectFrom('teams').selectAll().where('id', '=', String(id)).executeTakeFirst()
}

function findNamespace(tables: Reading, id: string) {
  return tables.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirst()
}
