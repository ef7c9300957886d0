/** The teams of a directory file: of its namespaces, with their members, and their roles in its repositories. */

import type { InputPath, RepositoryEntry, TeamEntry } from '@latchkey/admin-api'
import { isRefusal, type Refusal, type RepositoryUid } from '@latchkey/protocol'
import type { Change } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type {
  AccountRow,
  NamespaceRow,
  RepositoryRow,
  TeamGroupRow,
  TeamMemberRow,
  TeamRoleRow,
  TeamRow,
} from '../tables/rows.ts'
import { noAccount } from '../verbs/accounts.ts'
import { ownedByPublisher } from '../verbs/publisher-account.ts'
import { maxTeamMembers, maxTeams, tooManyMembers, tooManyTeams } from '../verbs/team-limits.ts'
import { newTeamRow, noTeam, refuseEnded, storedRole, teamTaken } from '../verbs/teams.ts'
import { absent, at, exactly, type Planning } from './planning.ts'

export async function storedTeams(tables: Reading): Promise<Planning['teams']> {
  const teams: Planning['teams'] = new Map()
  for (const row of await tables.selectFrom('teams').selectAll().execute()) {
    const own = teams.get(row.namespace_id) ?? new Map<string, TeamRow>()
    teams.set(row.namespace_id, own.set(row.name.toLowerCase(), row))
  }
  return teams
}

interface NamespaceTeams {
  readonly place: NamespaceRow
  readonly path: InputPath
  /** Undefined leaves them as they are. */
  readonly teams: Readonly<Record<string, TeamEntry>> | undefined
}

/** A team that the list lacks goes; so does a member that a team's list lacks. */
export async function planTeams(
  planning: Planning,
  { place: namespace, path, teams: entries }: NamespaceTeams,
): Promise<Change[] | Refusal> {
  if (entries === undefined) return []
  if (Object.keys(entries).length > maxTeams) return at(path, tooManyTeams(namespace.name))
  const { work, teams } = planning
  const stored = teams.get(namespace.id) ?? new Map<string, TeamRow>()
  const planned = new Map<string, TeamRow>()
  const changes: Change[] = []
  for (const [name, { role, members, groups }] of Object.entries(entries)) {
    const key = name.toLowerCase()
    const before = stored.get(key)
    if (before !== undefined && before.name !== name) {
      return at([...path, name], teamTaken(namespace.name, before.name))
    }
    const after =
      before === undefined
        ? newTeamRow(work, namespace, { name, role: role ?? 'none' })
        : { ...before, role: role === undefined ? before.role : storedRole(role) }
    planned.set(key, after)
    if (after.role !== before?.role) changes.push({ thing: 'team', before, after, namespace })
    const team = { namespace, team: after, path: [...path, name, 'members'], members }
    const joined = await replaceMembers(planning, team)
    if (isRefusal(joined)) return joined
    changes.push(...joined, ...(await replaceGroups(planning, { namespace, team: after, groups })))
  }
  for (const [key, before] of stored) {
    if (!planned.has(key)) changes.push({ thing: 'team', before, namespace })
  }
  teams.set(namespace.id, planned)
  return changes
}

interface GroupList {
  readonly namespace: NamespaceRow
  readonly team: TeamRow
  readonly groups: TeamEntry['groups']
}

/** A group that the list lacks goes, of any provider, with the memberships that come from it. */
async function replaceGroups(
  { work }: Planning,
  { namespace, team, groups }: GroupList,
): Promise<Change[]> {
  if (groups === undefined) return []
  const pending = new Map<string, TeamGroupRow>()
  for (const [provider, names] of Object.entries(groups)) {
    for (const group_name of names) {
      const after = { team_id: team.id, provider, group_name }
      pending.set(JSON.stringify([provider, group_name]), after)
    }
  }
  const stored = await work.tables
    .selectFrom('team_groups')
    .selectAll()
    .where('team_id', '=', team.id)
    .execute()
  const change = { thing: 'team-group', namespace, team } as const
  const ended = stored.filter(
    ({ provider, group_name }) => !pending.delete(JSON.stringify([provider, group_name])),
  )
  return [
    ...ended.map((before): Change => ({ ...change, before })),
    ...[...pending.values()].map((after): Change => ({ ...change, after })),
  ]
}

interface MemberList {
  readonly namespace: NamespaceRow
  readonly team: TeamRow
  readonly path: InputPath
  readonly members: TeamEntry['members']
}

async function replaceMembers(
  { work, accounts, publisherAccounts, reported }: Planning,
  { namespace, team, path, members }: MemberList,
): Promise<Change[] | Refusal> {
  if (members === undefined) return []
  if (Object.keys(members).length > maxTeamMembers) return at(path, tooManyMembers(team.name))
  const pending = new Map<string, { account: AccountRow; after: TeamMemberRow }>()
  for (const [name, { until = { at: null } }] of Object.entries(members)) {
    const account = exactly(accounts, name)
    if (account === undefined) {
      const missing = { what: 'account', name } as const
      return at([...path, name], absent({ reported }, missing, noAccount(name)))
    }
    const owner = publisherAccounts.get(account.id)
    if (owner !== undefined) return at([...path, name], ownedByPublisher(name, owner))
    const after = { team_id: team.id, account_id: account.id, until: until.at }
    pending.set(account.id, { account, after })
  }
  const stored = await work.tables
    .selectFrom('team_members')
    .selectAll()
    .where('team_id', '=', team.id)
    .execute()
  const byId = new Map([...accounts.values()].map((row) => [row.id, row]))
  const changes: Change[] = []
  const change = { thing: 'team-member', namespace, team } as const
  for (const before of stored) {
    const account = byId.get(before.account_id)
    // The memberships of an account that pruning deletes go with it.
    if (account === undefined) continue
    const after = pending.get(account.id)?.after
    pending.delete(account.id)
    // An end that has passed meanwhile is no mistake in a file that has not changed.
    if (after?.until === before.until) continue
    const ended = after && refuseEnded(after.until, work.now)
    if (ended !== undefined) return at([...path, account.name, 'until'], ended)
    changes.push({ ...change, before, after, account })
  }
  for (const { account, after } of pending.values()) {
    const ended = refuseEnded(after.until, work.now)
    if (ended !== undefined) return at([...path, account.name, 'until'], ended)
    changes.push({ ...change, after, account })
  }
  return changes
}

/** By the uid of the repository. */
export type StoredTeamRoles = ReadonlyMap<string, readonly TeamRoleRow[]>

export async function storedTeamRoles(
  tables: Reading,
  repositoryUids: readonly RepositoryUid[],
): Promise<StoredTeamRoles> {
  const roles = new Map<string, TeamRoleRow[]>()
  for (const uids of chunked(repositoryUids)) {
    const rows = await tables
      .selectFrom('team_roles')
      .selectAll()
      .where('repository_uid', 'in', uids)
      .execute()
    for (const row of rows) {
      const held = roles.get(row.repository_uid) ?? []
      held.push(row)
      roles.set(row.repository_uid, held)
    }
  }
  return roles
}

interface RepositoryTeams {
  readonly place: RepositoryRow
  /** The name of its namespace. */
  readonly owner: string
  readonly stored: readonly TeamRoleRow[]
  readonly path: InputPath
  readonly teams: RepositoryEntry['teams']
}

export function replaceTeamRoles(
  { teams: planned }: Planning,
  { place: repository, owner, stored, path, teams: entries }: RepositoryTeams,
): Change[] | Refusal {
  if (entries === undefined) return []
  const own = planned.get(repository.namespace_id) ?? new Map<string, TeamRow>()
  const byId = new Map([...own.values()].map((team) => [team.id, team]))
  const pending = new Map<string, { team: TeamRow; role: string }>()
  for (const [name, role] of Object.entries(entries)) {
    const team = exactly(own, name)
    if (team === undefined) return at([...path, name], noTeam(owner, name))
    pending.set(team.id, { team, role })
  }
  const changes: Change[] = []
  for (const before of stored) {
    const team = byId.get(before.team_id)
    // The roles of a team that the file deletes go with it.
    if (team === undefined) continue
    const role = pending.get(team.id)?.role
    pending.delete(team.id)
    const after = role === undefined ? undefined : { ...before, role }
    if (role !== before.role) changes.push({ thing: 'team-role', before, after, repository, team })
  }
  for (const { team, role } of pending.values()) {
    const after = { repository_uid: repository.uid, team_id: team.id, role }
    changes.push({ thing: 'team-role', after, repository, team })
  }
  return changes
}
