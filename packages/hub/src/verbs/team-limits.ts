/** Bounds of teams: each change of a team rewrites what its members have at each place where it has a role. */

import { type AccountId, type Refusal, refuse } from '@latchkey/protocol'
import { sql } from 'kysely'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow, NamespaceRow, TeamGroupRow, TeamRow } from '../tables/rows.ts'

export const maxTeams = 1000
export const maxTeamMembers = 10_000
/** Members of one team, times its namespace and the repositories where it has a role. */
export const maxTeamAccess = 20_000
/** Places of all teams of a namespace that name one group: the hub writes them at the first sign-in of each person. */
export const maxGroupPlaces = 200
/** Places of all teams of a namespace in which one account is a local member: the end of one reads those of all. */
export const maxAccountPlaces = 2000

export async function refuseMoreTeams(
  tables: Reading,
  { id, name }: NamespaceRow,
): Promise<Refusal | undefined> {
  const teams = await countOf(tables.selectFrom('teams').where('namespace_id', '=', id))
  return teams < maxTeams ? undefined : tooManyTeams(name)
}

export async function refuseMoreMembers(
  tables: Reading,
  team: TeamRow,
  { id, name }: AccountRow,
): Promise<Refusal | undefined> {
  const members = (await membersOf(tables, team, id)) + 1
  if (members > maxTeamMembers) return tooManyMembers(team.name)
  const places = await placesOf(tables, team)
  const refused = refuseAccess(team, members, places)
  if (refused !== undefined) return refused
  const held = tables
    .selectFrom('team_members')
    .innerJoin(sized(tables, team), 'sized.id', 'team_members.team_id')
    .where('account_id', '=', id)
  const row = await held.select(({ fn }) => fn.sum('places').as('places')).executeTakeFirst()
  const inAll = Number(row?.places ?? 0) + places
  return inAll > maxAccountPlaces ? tooManyPlaces(`The account "${name}"`, inAll) : undefined
}

export async function refuseMorePlaces(
  tables: Reading,
  team: TeamRow,
): Promise<Refusal | undefined> {
  const places = (await placesOf(tables, team)) + 1
  const refused = refuseAccess(team, await membersOf(tables, team), places)
  if (refused !== undefined) return refused
  const ofGroup = (await mostOfGroup(tables, team)) + 1
  if (ofGroup > maxGroupPlaces) return tooManyOfGroup(ofGroup)
  const ofAccount = (await mostOfAccount(tables, team)) + 1
  return ofAccount > maxAccountPlaces
    ? tooManyPlaces(`An account in the team "${team.name}"`, ofAccount)
    : undefined
}

/** Before the team names the group. */
export async function refuseGroupPlaces(
  tables: Reading,
  team: TeamRow,
  { provider, group_name }: TeamGroupRow,
): Promise<Refusal | undefined> {
  const row = await tables
    .selectFrom('team_groups')
    .innerJoin(sized(tables, team), 'sized.id', 'team_groups.team_id')
    .select(({ fn }) => fn.sum('places').as('places'))
    .where('provider', '=', provider)
    .where('group_name', '=', group_name)
    .executeTakeFirst()
  const places = Number(row?.places ?? 0) + (await placesOf(tables, team))
  return places > maxGroupPlaces ? tooManyOfGroup(places) : undefined
}

/** The teams of the namespace, with the number of places where each has a role: made once for a statement. */
function sized(tables: Reading, { namespace_id }: Pick<TeamRow, 'namespace_id'>) {
  return tables
    .selectFrom('teams')
    .leftJoin('team_roles', 'team_roles.team_id', 'teams.id')
    .select(({ fn }) => ['teams.id', sql<number>`1 + ${fn.count('repository_uid')}`.as('places')])
    .where('namespace_id', '=', namespace_id)
    .groupBy('teams.id')
    .as('sized')
}

/** The team may name several groups: one of them has most places. */
async function mostOfGroup(tables: Reading, team: TeamRow): Promise<number> {
  const row = await tables
    .selectFrom('team_groups as own')
    .innerJoin('team_groups as named', (on) =>
      on
        .onRef('named.provider', '=', 'own.provider')
        .onRef('named.group_name', '=', 'own.group_name'),
    )
    .innerJoin(sized(tables, team), 'sized.id', 'named.team_id')
    .select(({ fn }) => fn.sum('places').as('places'))
    .where('own.team_id', '=', team.id)
    .groupBy(['own.provider', 'own.group_name'])
    .orderBy('places', 'desc')
    .limit(1)
    .executeTakeFirst()
  return Number(row?.places ?? 0)
}

/** The team may have several local members: one of them has most places. */
async function mostOfAccount(tables: Reading, team: TeamRow): Promise<number> {
  const row = await tables
    .selectFrom('team_members as own')
    .innerJoin('team_members as held', 'held.account_id', 'own.account_id')
    .innerJoin(sized(tables, team), 'sized.id', 'held.team_id')
    .select(({ fn }) => fn.sum('places').as('places'))
    .where('own.team_id', '=', team.id)
    .groupBy('own.account_id')
    .orderBy('places', 'desc')
    .limit(1)
    .executeTakeFirst()
  return Number(row?.places ?? 0)
}

/** People of a group are members too. Without the account, if one is named. */
async function membersOf(tables: Reading, { id }: TeamRow, without?: AccountId): Promise<number> {
  const all = tables
    .selectFrom('team_members')
    .select('account_id')
    .where('team_id', '=', id)
    .union((nested) =>
      nested.selectFrom('group_members').select('account_id').where('team_id', '=', id),
    )
  const members = tables.selectFrom(all.as('members'))
  return countOf(without === undefined ? members : members.where('account_id', '!=', without))
}

async function placesOf(tables: Reading, { id }: TeamRow): Promise<number> {
  return 1 + (await countOf(tables.selectFrom('team_roles').where('team_id', '=', id)))
}

function refuseAccess({ name }: TeamRow, members: number, places: number): Refusal | undefined {
  if (members * places <= maxTeamAccess) return undefined
  return refuse(
    'conflict',
    `The team "${name}" would have ${members} members and roles in ${places - 1} repositories. Members times repositories may be at most ${maxTeamAccess}. Give it a role in the namespace instead, or use several teams.`,
  )
}

const advice = 'Give a team a role in the namespace instead.'

function tooManyOfGroup(places: number): Refusal {
  return refuse(
    'conflict',
    `The teams of this namespace that name one group would have roles in ${places} places. A namespace and each of its repositories are places. At most ${maxGroupPlaces} are allowed. ${advice}`,
  )
}

function tooManyPlaces(who: string, places: number): Refusal {
  return refuse(
    'conflict',
    `${who} would have roles in ${places} places through its teams in this namespace. A namespace and each of its repositories are places. At most ${maxAccountPlaces} are allowed. ${advice}`,
  )
}

export function tooManyTeams(namespace: string): Refusal {
  return refuse(
    'conflict',
    `The namespace "${namespace}" may have at most ${maxTeams} teams. Delete one first.`,
  )
}

export function tooManyMembers(team: string): Refusal {
  return refuse(
    'conflict',
    `The team "${team}" may have at most ${maxTeamMembers} members. Delete one first, or use another team.`,
  )
}
