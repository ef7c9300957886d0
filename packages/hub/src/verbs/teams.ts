/** Teams: accounts of a namespace that get their roles together, for the namespace or for its repositories. */

import { role as roleWord, type VerbTable } from '@latchkey/admin-api'
import {
  formatRepoRef,
  formatTime,
  isRefusal,
  type Refusal,
  type RepoRef,
  refuse,
  type UnixSeconds,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import { sql } from 'kysely'
import type { z } from 'zod'
import { countOf, nameIs, sameName } from '../tables/columns.ts'
import type { Reading, Work } from '../tables/directory.ts'
import type { AccountRow, NamespaceRow, RepositoryRow, TeamRow } from '../tables/rows.ts'
import { findAccount, noAccount } from './accounts.ts'
import { type Does, makePage } from './does.ts'
import { findNamespace, noNamespace } from './namespaces.ts'
import { refusePublisherAccount } from './publisher-account.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'
import { refuseMoreMembers, refuseMorePlaces, refuseMoreTeams } from './team-limits.ts'

export const createTeam: Does<'team create'> = async (work, { namespace: owner, team, role }) => {
  const { tables, put } = work
  const namespace = await findNamespace(tables, owner)
  if (namespace === undefined) return noNamespace(owner)
  const similar = await tables
    .selectFrom('teams')
    .select('name')
    .where('namespace_id', '=', namespace.id)
    .where(sameName(team))
    .executeTakeFirst()
  if (similar !== undefined) return teamTaken(namespace.name, similar.name)
  const tooMany = await refuseMoreTeams(tables, namespace)
  if (tooMany !== undefined) return tooMany
  const row = newTeamRow(work, namespace, { name: team, role })
  await put([{ thing: 'team', after: row, namespace }])
  return teamOutput(namespace, row)
}

export const showTeam: Does<'team show'> = async ({ tables }, input) => {
  const found = await findTeam(tables, input)
  return isRefusal(found) ? found : teamOutput(found.namespace, found.row)
}

export const listTeams: Does<'team list'> = async ({ tables }, input) => {
  const { namespace: owner, limit, after = '' } = input
  const namespace = await findNamespace(tables, owner)
  if (namespace === undefined) return noNamespace(owner)
  const all = tables.selectFrom('teams').where('namespace_id', '=', namespace.id)
  const rows = await all
    .selectAll()
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit + 1)
    .execute()
  const page = { rows, total: await countOf(all), limit }
  return makePage(
    page,
    (row) => teamOutput(namespace, row),
    ({ name }) => name,
  )
}

export const setTeam: Does<'team set'> = async ({ tables, put }, { role, ...named }) => {
  const found = await findTeam(tables, named)
  if (isRefusal(found)) return found
  const { namespace, row } = found
  const after = { ...row, role: storedRole(role) }
  await put([{ thing: 'team', before: row, after, namespace }])
  return teamOutput(namespace, after)
}

export const deleteTeam: Does<'team delete'> = async ({ tables, put }, input) => {
  const found = await findTeam(tables, input)
  if (isRefusal(found)) return found
  const { namespace, row } = found
  await put([{ thing: 'team', before: row, namespace }])
  return { deleted: fullName(namespace.name, row.name) }
}

export const setTeamMember: Does<'team-member set'> = async (work, { until, ...input }) => {
  const { tables, now, put } = work
  const ended = refuseEnded(until.at, now)
  if (ended !== undefined) return ended
  const found = await findMembership(tables, input)
  if (isRefusal(found)) return found
  const { namespace, team, account, before } = found
  const managed = await refusePublisherAccount(tables, account)
  if (managed !== undefined) return managed
  const tooMany = before === undefined ? await refuseMoreMembers(tables, team, account) : undefined
  if (tooMany !== undefined) return tooMany
  const after = { team_id: team.id, account_id: account.id, until: until.at }
  await put([{ thing: 'team-member', before, after, namespace, team, account }])
  return memberOutput(namespace, team, { name: account.name, until: until.at })
}

export const listTeamMembers: Does<'team-member list'> = async ({ tables }, input) => {
  const { limit, after = '', ...named } = input
  const found = await findTeam(tables, named)
  if (isRefusal(found)) return found
  const { namespace, row: team } = found
  const all = tables
    .selectFrom('team_members')
    .innerJoin('accounts', 'accounts.id', 'team_members.account_id')
    .where('team_id', '=', team.id)
  const rows = await all
    .select(['accounts.name', 'until'])
    .where('accounts.name', '>', after)
    .orderBy('accounts.name')
    .limit(limit + 1)
    .execute()
  return makePage(
    { rows, total: await countOf(all), limit },
    (row) => memberOutput(namespace, team, row),
    ({ name }) => name,
  )
}

export const deleteTeamMember: Does<'team-member delete'> = async ({ tables, put }, input) => {
  const found = await findMembership(tables, input)
  if (isRefusal(found)) return found
  const { namespace, team, account, before } = found
  if (before === undefined) return noTeamMember(namespace.name, team.name, account.name)
  await put([{ thing: 'team-member', before, namespace, team, account }])
  return { deleted: account.name }
}

export const setTeamRole: Does<'team-role set'> = async ({ tables, put }, input) => {
  const { role, ...named } = input
  const found = await findTeamRole(tables, named)
  if (isRefusal(found)) return found
  const { repository, team, before } = found
  const tooMany = before === undefined ? await refuseMorePlaces(tables, team) : undefined
  if (tooMany !== undefined) return tooMany
  const after = { repository_uid: repository.uid, team_id: team.id, role }
  await put([{ thing: 'team-role', before, after, repository, team }])
  return { repository: repository.path, team: team.name, role }
}

export const listTeamRoles: Does<'team-role list'> = async ({ tables }, input) => {
  const { repository: repo, limit, after = '' } = input
  const repository = await findRepositoryRow(tables, repo)
  if (repository === undefined) return noRepository(repo)
  const all = tables
    .selectFrom('team_roles')
    .innerJoin('teams', 'teams.id', 'team_roles.team_id')
    .where('repository_uid', '=', repository.uid)
  const rows = await all
    .select(['teams.name', 'team_roles.role'])
    .where('teams.name', '>', after)
    .orderBy('teams.name')
    .limit(limit + 1)
    .execute()
  return makePage(
    { rows, total: await countOf(all), limit },
    ({ name, role }) => ({ repository: repository.path, team: name, role: roleWord.parse(role) }),
    ({ name }) => name,
  )
}

export const deleteTeamRole: Does<'team-role delete'> = async ({ tables, put }, input) => {
  const found = await findTeamRole(tables, input)
  if (isRefusal(found)) return found
  const { repository, team, before } = found
  if (before === undefined) return noTeamRole(input.repository, team.name)
  await put([{ thing: 'team-role', before, repository, team }])
  return { deleted: fullName(input.repository.namespace, team.name) }
}

export type TeamRole = 'read' | 'write' | 'admin' | 'none'

export function storedRole(role: TeamRole): string | null {
  return role === 'none' ? null : role
}

export function newTeamRow(
  { now, randomBytes }: Pick<Work, 'now' | 'randomBytes'>,
  { id }: Pick<NamespaceRow, 'id'>,
  { name, role }: { readonly name: string; readonly role: TeamRole },
): TeamRow {
  const place = { id: newId(randomBytes), namespace_id: id }
  return { ...place, name, role: storedRole(role), created_at: now }
}

export interface NamedTeam {
  readonly namespace: string
  readonly team: string
}

export async function findTeam(
  tables: Reading,
  { namespace: owner, team }: NamedTeam,
): Promise<{ readonly namespace: NamespaceRow; readonly row: TeamRow } | Refusal> {
  const namespace = await findNamespace(tables, owner)
  if (namespace === undefined) return noNamespace(owner)
  const row = await findTeamIn(tables, namespace.id, team)
  return row === undefined ? noTeam(owner, team) : { namespace, row }
}

function findTeamIn(
  tables: Reading,
  namespaceId: string,
  name: string,
): Promise<TeamRow | undefined> {
  return tables
    .selectFrom('teams')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .where(nameIs(name))
    .executeTakeFirst()
}

async function findMembership(tables: Reading, input: NamedTeam & { readonly account: string }) {
  const found = await findTeam(tables, input)
  if (isRefusal(found)) return found
  const { namespace, row: team } = found
  const account = await findAccount(tables, input.account)
  if (account === undefined) return noAccount(input.account)
  const before = await tables
    .selectFrom('team_members')
    .selectAll()
    .where('team_id', '=', team.id)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  return { namespace, team, account, before }
}

/** A team has roles in repositories of its own namespace alone: its administrators decide who is in it. */
async function findTeamRole(
  tables: Reading,
  input: { readonly repository: RepoRef; readonly team: string },
) {
  const { repository: repo, team: name } = input
  const repository: RepositoryRow | undefined = await findRepositoryRow(tables, repo)
  if (repository === undefined) return noRepository(repo)
  const team = await findTeamIn(tables, repository.namespace_id, name)
  if (team === undefined) return noTeam(repo.namespace, name)
  const before = await tables
    .selectFrom('team_roles')
    .selectAll()
    .where('repository_uid', '=', repository.uid)
    .where('team_id', '=', team.id)
    .executeTakeFirst()
  return { repository, team, before }
}

/** The teams through which an account has its strongest live role at a repository, as people name them. */
export async function teamsBehind(
  tables: Reading,
  { account, repository, role, now }: BehindRole,
): Promise<readonly string[]> {
  const rows = await membershipsOf(tables, account.id)
    .innerJoin('teams', 'teams.id', 'held.team_id')
    .innerJoin('namespaces', 'namespaces.id', 'teams.namespace_id')
    .leftJoin('team_roles', (join) =>
      join
        .onRef('team_roles.team_id', '=', 'teams.id')
        .on('team_roles.repository_uid', '=', repository.uid),
    )
    .where('teams.namespace_id', '=', repository.namespace_id)
    .where((row) => row.or([row('until', 'is', null), row('until', '>', now)]))
    .where((row) => row.or([row('teams.role', '=', role), row('team_roles.role', '=', role)]))
    .select(['namespaces.name as namespace', 'teams.name', 'until', 'provider', 'group_name'])
    .orderBy(sql`until is not null`)
    .orderBy('teams.name')
    .orderBy('until', 'desc')
    .execute()
  return rows.map(({ namespace, name, until, provider, group_name: group }) => {
    const by = provider === null ? [] : [`by the group "${group}" of the provider "${provider}"`]
    const end = until === null ? [] : [`until ${formatTime(until as UnixSeconds)}`]
    const notes = [...by, ...end].join(', ')
    return `${fullName(namespace, name)}${notes === '' ? '' : ` (${notes})`}`
  })
}

/** Local ones, and those that come from a provider. */
function membershipsOf(tables: Reading, accountId: AccountRow['id']) {
  return tables.selectFrom((nested) =>
    nested
      .selectFrom('team_members')
      .select(['team_id', 'until'])
      .select([sql<string | null>`null`.as('provider'), sql<string | null>`null`.as('group_name')])
      .where('account_id', '=', accountId)
      .unionAll(
        nested
          .selectFrom('group_members')
          .select(['team_id', 'until', 'provider', 'group_name'])
          .where('account_id', '=', accountId),
      )
      .as('held'),
  )
}

interface BehindRole {
  readonly account: Pick<AccountRow, 'id'>
  readonly repository: RepositoryRow
  readonly role: string
  readonly now: UnixSeconds
}

/** No account can be called so: a name has no slash. */
export function fullName(namespace: string, team: string): string {
  return `${namespace}/${team}`
}

function teamOutput(
  { name: namespace }: NamespaceRow,
  { id, name, role, created_at }: TeamRow,
): z.input<VerbTable['team show']['output']> {
  const held = role === null ? ('none' as const) : roleWord.parse(role)
  const createdAt = formatTime(created_at as UnixSeconds)
  return { id, namespace, team: name, role: held, createdAt }
}

function memberOutput(
  { name: namespace }: NamespaceRow,
  { name: team }: TeamRow,
  { name: account, until }: { readonly name: string; readonly until: number | null },
) {
  const end = until === null ? {} : { until: formatTime(until as UnixSeconds) }
  return { namespace, team, account, ...end }
}

export function refuseEnded(until: number | null, now: UnixSeconds): Refusal | undefined {
  if (until === null || until > now) return undefined
  return refuse(
    'bad_request',
    'The end must lie in the future. To end a membership now, delete it.',
    { path: 'until' },
  )
}

export function noTeam(namespace: string, team: string): Refusal {
  return refuse(
    'resource_not_found',
    `The namespace "${namespace}" has no team "${team}". Names are matched exactly; create the team first.`,
    { next: ['team', 'create', namespace, team] },
  )
}

export function teamTaken(namespace: string, team: string): Refusal {
  return refuse(
    'conflict',
    `The namespace "${namespace}" has a team "${team}" already, and names must differ by more than case. Choose another name.`,
    { next: ['team', 'show', namespace, team] },
  )
}

function noTeamMember(namespace: string, team: string, account: string): Refusal {
  return refuse(
    'resource_not_found',
    `The account "${account}" is not in the team ${fullName(namespace, team)}. List its members to see who is.`,
    { next: ['team-member', 'list', namespace, team] },
  )
}

function noTeamRole(repo: RepoRef, team: string): Refusal {
  const path = formatRepoRef(repo)
  return refuse(
    'resource_not_found',
    `The team "${team}" has no separate role in ${path}. List the teams there to see which have.`,
    { next: ['team-role', 'list', path] },
  )
}
