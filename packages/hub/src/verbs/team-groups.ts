/** Groups of identity providers that a team names: people who are in one are members while the provider says so. */

import { maxTeamGroups } from '@latchkey/admin-api'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { NamespaceRow, TeamGroupRow, TeamRow } from '../tables/rows.ts'
import { type Does, makePage } from './does.ts'
import { refuseGroupPlaces } from './team-limits.ts'
import { findTeam, fullName, type NamedTeam } from './teams.ts'

/** At each sign-in the hub writes a membership for each team that names a group of the person. */
const maxTeamsOfGroup = 16

export const setTeamGroup: Does<'team-group set'> = async ({ tables, put }, input) => {
  const found = await findGroup(tables, input)
  if (isRefusal(found)) return found
  const { namespace, team, before, after } = found
  const tooMany = before === undefined && (await refuseTooMany(tables, { namespace, team, after }))
  if (tooMany) return tooMany
  await put([{ thing: 'team-group', before, after, team, namespace }])
  return groupOutput(namespace, team, after)
}

export const listTeamGroups: Does<'team-group list'> = async ({ tables }, input) => {
  const { limit, after, ...named } = input
  const found = await findTeam(tables, named)
  if (isRefusal(found)) return found
  const { namespace, row: team } = found
  const all = tables.selectFrom('team_groups').where('team_id', '=', team.id)
  const [provider = '', group = ''] = partsOf(after)
  const rows = await all
    .selectAll()
    .where((row) =>
      row.or([
        row('provider', '>', provider),
        row.and([row('provider', '=', provider), row('group_name', '>', group)]),
      ]),
    )
    .orderBy('provider')
    .orderBy('group_name')
    .limit(limit + 1)
    .execute()
  return makePage(
    { rows, total: await countOf(all), limit },
    (row) => groupOutput(namespace, team, row),
    (row) => `${row.provider}/${row.group_name}`,
  )
}

/** The name of a provider has no slash; that of a group may have some. */
function partsOf(after: string | undefined): readonly string[] {
  const [provider = '', ...group] = (after ?? '').split('/')
  return [provider, group.join('/')]
}

export const deleteTeamGroup: Does<'team-group delete'> = async ({ tables, put }, input) => {
  const found = await findGroup(tables, input)
  if (isRefusal(found)) return found
  const { namespace, team, before } = found
  if (before === undefined) return noTeamGroup(namespace.name, team.name, input)
  await put([{ thing: 'team-group', before, team, namespace }])
  return { deleted: input.group }
}

interface NamedGroup extends NamedTeam {
  readonly provider: string
  readonly group: string
}

async function findGroup(tables: Reading, { provider, group, ...named }: NamedGroup) {
  const found = await findTeam(tables, named)
  if (isRefusal(found)) return found
  const { namespace, row: team } = found
  const before = await tables
    .selectFrom('team_groups')
    .selectAll()
    .where('team_id', '=', team.id)
    .where('provider', '=', provider)
    .where('group_name', '=', group)
    .executeTakeFirst()
  const after: TeamGroupRow = { team_id: team.id, provider, group_name: group }
  return { namespace, team, before, after }
}

interface NewGroup {
  readonly namespace: NamespaceRow
  readonly team: TeamRow
  readonly after: TeamGroupRow
}

async function refuseTooMany(
  tables: Reading,
  { namespace, team, after }: NewGroup,
): Promise<Refusal | undefined> {
  const { provider, group_name } = after
  const all = tables.selectFrom('team_groups')
  if ((await countOf(all.where('team_id', '=', team.id))) >= maxTeamGroups) {
    return refuse(
      'conflict',
      `The team ${fullName(namespace.name, team.name)} names ${maxTeamGroups} groups, and no team can name more. Delete one, or make a group of groups at the provider.`,
      { next: ['team-group', 'list', namespace.name, team.name] },
    )
  }
  const same = all
    .innerJoin('teams', 'teams.id', 'team_groups.team_id')
    .where('teams.namespace_id', '=', namespace.id)
    .where('provider', '=', provider)
    .where('group_name', '=', group_name)
  if ((await countOf(same)) < maxTeamsOfGroup) return refuseGroupPlaces(tables, team, after)
  return refuse(
    'conflict',
    `${maxTeamsOfGroup} teams of the namespace "${namespace.name}" name this group, and no more can. Give one of them the roles.`,
    { next: ['team', 'list', namespace.name] },
  )
}

function groupOutput(
  { name: namespace }: NamespaceRow,
  { name: team }: TeamRow,
  { provider, group_name: group }: TeamGroupRow,
) {
  return { namespace, team, provider, group }
}

function noTeamGroup(namespace: string, team: string, { provider, group }: NamedGroup): Refusal {
  return refuse(
    'resource_not_found',
    `The team ${fullName(namespace, team)} does not name the group "${group}" of the provider "${provider}". List its groups to see which it names.`,
    { next: ['team-group', 'list', namespace, team] },
  )
}
