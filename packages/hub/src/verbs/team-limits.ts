/** Bounds of teams: each change of a team rewrites what its members have at each place where it has a role. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { NamespaceRow, TeamRow } from '../tables/rows.ts'

export const maxTeams = 1000
export const maxTeamMembers = 10_000
/** Members of one team, times its namespace and the repositories where it has a role. */
export const maxTeamAccess = 20_000

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
): Promise<Refusal | undefined> {
  const members = (await membersOf(tables, team)) + 1
  if (members > maxTeamMembers) return tooManyMembers(team.name)
  return refuseAccess(team, members, await placesOf(tables, team))
}

export async function refuseMorePlaces(
  tables: Reading,
  team: TeamRow,
): Promise<Refusal | undefined> {
  return refuseAccess(team, await membersOf(tables, team), (await placesOf(tables, team)) + 1)
}

function membersOf(tables: Reading, { id }: TeamRow): Promise<number> {
  return countOf(tables.selectFrom('team_members').where('team_id', '=', id))
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
