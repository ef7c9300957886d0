/** Makes the memberships of a person what the provider says: by a sign-in, and by what it answers later. */

import { yieldInLoop } from '@latchkey/service/limits/slices'
import { renewMemberships } from '../journal/renew-memberships.ts'
import type { GroupMemberChange, Origin } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { BookkeepingTransaction, Reading } from '../tables/directory.ts'
import { endMembership, groupMemberships, type NamedMembership } from '../tables/group-members.ts'
import type { AccountRow, GroupMemberRow, TeamGroupRow } from '../tables/rows.ts'
import type { Identity } from './open-providers.ts'
import type { ProviderSettings } from './provider-settings.ts'
import { readGroups } from './read-groups.ts'

export interface PersonClaims {
  readonly identity: Pick<Identity, 'issuer' | 'subject' | 'claims'>
  readonly account: Pick<AccountRow, 'id' | 'name'>
  readonly provider: ProviderSettings
  readonly now: number
  readonly maxAgeSeconds: number
  readonly origin: Origin
}

/** The clocks of hubs may be apart by less: a membership with more left has ended at none of them. */
const maxSkewSeconds = 600

export async function applyGroups(
  { tables, putAs }: BookkeepingTransaction,
  person: PersonClaims,
): Promise<void> {
  const { identity, provider, now, maxAgeSeconds, origin } = person
  const groups = readGroups(identity.claims, provider)
  if (groups === 'missing' && provider.missingGroups === 'keep') return
  const wantedGroups = await teamsOf(tables, provider, groups === 'missing' ? [] : groups)
  const held = await heldBy(tables, identity)
  const until = now + maxAgeSeconds
  const changes: GroupMemberChange[] = []
  const renewed: GroupMemberRow[] = []
  const heldKeys = new Set(held.map(keyOf))
  for (const row of held) {
    const change = endMembership(row)
    if (!wantedGroups.has(keyOf(row))) {
      const staysInTeam = await isElseIn(tables, row, { wantedGroups, until })
      changes.push({ ...change, staysInTeam })
    } else if (row.until <= now + maxSkewSeconds || row.until > until + maxSkewSeconds) {
      // With an entry: a hub may have seen it end, or the configuration now says less.
      changes.push({ ...change, after: { ...rowOf(row), until } })
    } else if (row.until < until) {
      renewed.push(rowOf(row))
    }
  }
  for (const [key, team] of wantedGroups) {
    if (!heldKeys.has(key)) changes.push(newMembership(team, person, until))
  }
  await putAs(origin)(changes)
  await renewMemberships(tables, renewed, until)
}

type NamedGroup = TeamGroupRow &
  Pick<NamedMembership, 'team' | 'role' | 'namespace' | 'namespace_id'>

function newMembership(
  group: NamedGroup,
  { identity: { issuer, subject }, account }: PersonClaims,
  until: number,
): GroupMemberChange {
  const { team_id, provider, group_name, team, role, namespace, namespace_id } = group
  return {
    thing: 'group-member',
    after: { team_id, provider, group_name, issuer, subject, account_id: account.id, until },
    team: { id: team_id, name: team, role },
    namespace: { id: namespace_id, name: namespace },
    account,
  }
}

function keyOf({ team_id, provider, group_name }: TeamGroupRow): string {
  return JSON.stringify([team_id, provider, group_name])
}

function rowOf(row: NamedMembership): GroupMemberRow {
  const { team_id, provider, group_name, issuer, subject, account_id, until } = row
  return { team_id, provider, group_name, issuer, subject, account_id, until }
}

function heldBy(tables: Reading, { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>) {
  return groupMemberships(tables)
    .where('group_members.issuer', '=', issuer)
    .where('group_members.subject', '=', subject)
    .execute()
}

/** The teams that name any of the groups, each with the group by which it does. */
async function teamsOf(
  tables: Reading,
  { name }: Pick<ProviderSettings, 'name'>,
  groups: readonly string[],
): Promise<ReadonlyMap<string, NamedGroup>> {
  const found = new Map<string, NamedGroup>()
  for (const [index, some] of chunked(groups).entries()) {
    await yieldInLoop(index)
    const rows = await tables
      .selectFrom('team_groups')
      .innerJoin('teams', 'teams.id', 'team_groups.team_id')
      .innerJoin('namespaces', 'namespaces.id', 'teams.namespace_id')
      .selectAll('team_groups')
      .select(['teams.name as team', 'teams.role', 'namespaces.id as namespace_id'])
      .select('namespaces.name as namespace')
      .where('team_groups.provider', '=', name)
      .where('team_groups.group_name', 'in', some)
      .execute()
    for (const row of rows) found.set(keyOf(row), row)
  }
  return found
}

/** By another group of this sign-in, or as a local member. This transaction ends neither. */
async function isElseIn(
  tables: Reading,
  { team_id, account_id, until }: GroupMemberRow,
  next: { readonly wantedGroups: ReadonlyMap<string, NamedGroup>; readonly until: number },
): Promise<boolean> {
  const isNamed = [...next.wantedGroups.values()].some((group) => group.team_id === team_id)
  if (isNamed && next.until >= until) return true
  const local = await tables
    .selectFrom('team_members')
    .select('until')
    .where('team_id', '=', team_id)
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  return local !== undefined && (local.until === null || local.until >= until)
}
