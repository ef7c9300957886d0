/**
 * The triggers that keep `team_access`: until when an account holds each role at a namespace or repository through its
 * teams. A look-up is one search by its key, however many teams there are, and finds nothing where the account has no
 * role: so that a closed repository is read like an absent one.
 */

import { noEnd } from '../access/access-store.ts'

/** The tables of memberships: local ones, and those that come from a provider. Neither stands in for the other. */
const memberTables = ['team_members', 'group_members'] as const
const endIf = (condition: string) => `max(CASE WHEN ${condition} THEN ends ELSE 0 END)`

/** Writes the rows of some accounts at some places anew. A place is named by a column of the table with the roles. */
function refresh({ from, team, place }: Roles, { accounts, places }: About): string {
  const held = memberTables.map(
    (members) => `
      SELECT m.account_id, g.${place} AS place_id, coalesce(m.until, ${noEnd}) AS ends, g.role
      FROM ${from} g JOIN ${members} m ON m.team_id = g.${team}
      WHERE m.account_id IN (${accounts}) AND g.${place} IN (${places}) AND g.role IS NOT NULL`,
  )
  return `
  DELETE FROM team_access WHERE account_id IN (${accounts}) AND place_id IN (${places});
  INSERT INTO team_access
    SELECT account_id, place_id, max(ends), ${endIf("role <> 'read'")}, ${endIf("role = 'admin'")}
    FROM (${held.join('\n      UNION ALL')}
    ) AS held
    GROUP BY account_id, place_id;`
}

interface Roles {
  readonly from: string
  readonly team: string
  readonly place: string
}

interface About {
  /** Statements that select the ids. */
  readonly accounts: string
  readonly places: string
}

const inNamespaces = { from: 'teams', team: 'id', place: 'namespace_id' }
const inRepositories = { from: 'team_roles', team: 'team_id', place: 'repository_uid' }

const membersOf = (team: string) =>
  memberTables
    .map((members) => `SELECT account_id FROM ${members} WHERE team_id = ${team}`)
    .join(' UNION ')

/** Adds what one membership gives: it takes nothing away, so that other teams need not be read. */
function raise({ from, team, place }: Roles): string {
  const ends = `coalesce(NEW.until, ${noEnd})`
  const columns = ['reads_until', 'writes_until', 'administers_until']
  const later = columns.map(
    (column) =>
      `${column} = CASE WHEN excluded.${column} > team_access.${column} THEN excluded.${column} ELSE team_access.${column} END`,
  )
  return `
  INSERT INTO team_access
    SELECT NEW.account_id, g.${place}, ${ends},
      CASE WHEN g.role <> 'read' THEN ${ends} ELSE 0 END, CASE WHEN g.role = 'admin' THEN ${ends} ELSE 0 END
    FROM ${from} g WHERE g.${team} = NEW.team_id AND g.role IS NOT NULL
    ON CONFLICT (account_id, place_id) DO UPDATE SET
      ${later.join(',\n      ')};`
}

/** The body of each trigger; `row` is NEW or OLD. */
export const teamTriggers = {
  newMember: raise(inNamespaces) + raise(inRepositories),
  member(row: string): string {
    const accounts = `SELECT ${row}.account_id`
    const ofTeam = (table: string, place: string, team: string) =>
      `SELECT ${place} FROM ${table} WHERE ${team} = ${row}.team_id`
    return (
      refresh(inNamespaces, { accounts, places: ofTeam('teams', 'namespace_id', 'id') }) +
      refresh(inRepositories, {
        accounts,
        places: ofTeam('team_roles', 'repository_uid', 'team_id'),
      })
    )
  },
  role: (row: string): string =>
    refresh(inRepositories, {
      accounts: membersOf(`${row}.team_id`),
      places: `SELECT ${row}.repository_uid`,
    }),
  team: (row: string): string =>
    refresh(inNamespaces, {
      accounts: membersOf(`${row}.id`),
      places: `SELECT ${row}.namespace_id`,
    }),
  /** While the team still has its role, so that each member's row is found. */
  teamGoes: memberTables
    .map((members) => `\n  DELETE FROM ${members} WHERE team_id = OLD.id;`)
    .join(''),
}
