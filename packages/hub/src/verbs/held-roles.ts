/** The roles that an account holds in namespaces, itself or through a team. */

import type { AccountId, Role, UnixSeconds } from '@latchkey/protocol'
import { sql } from 'kysely'
import { type HeldRole, heldRole } from '../access/find-repository.ts'
import type { Reading } from '../tables/directory.ts'

/** With its end, if it comes from a team and has one. */
export async function heldInNamespace(
  tables: Reading,
  namespaceId: string,
  { accountId, now }: Holding,
): Promise<HeldRole> {
  const [row] = await heldIn(tables, accountId).where('namespaces.id', '=', namespaceId).execute()
  return row === undefined ? { role: undefined } : heldBy(row, now)
}

export async function roleInNamespace(
  tables: Reading,
  namespaceId: string,
  holding: Holding,
): Promise<Role | undefined> {
  return (await heldInNamespace(tables, namespaceId, holding)).role
}

/** The account, and the time by which memberships may have ended. */
export interface Holding {
  readonly accountId: AccountId
  readonly now: UnixSeconds
}

/** By name, the first of them. */
export async function namespacesOf(
  tables: Reading,
  { accountId, now }: Holding,
  most: number,
): Promise<readonly { readonly name: string; readonly role: Role }[]> {
  const rows = await heldIn(tables, accountId)
    .where((row) => row.or([row('members.role', 'is not', null), row('reads_until', '>', now)]))
    .orderBy('namespaces.name')
    .limit(most)
    .execute()
  return rows.flatMap((row) => {
    const { role } = heldBy(row, now)
    return role === undefined ? [] : [{ name: row.name, role }]
  })
}

/** Each namespace with the account's own role and its teams' ones, from the indexes of the account. */
function heldIn(tables: Reading, accountId: AccountId) {
  return tables
    .selectFrom('namespaces')
    .leftJoin('members', (join) =>
      join
        .onRef('members.namespace_id', '=', 'namespaces.id')
        .on('members.account_id', '=', accountId),
    )
    .leftJoin('team_access', (join) =>
      join
        .onRef('team_access.place_id', '=', 'namespaces.id')
        .on('team_access.account_id', '=', accountId),
    )
    .where('namespaces.id', 'in', (nested) =>
      nested
        .selectFrom('members')
        .select('members.namespace_id')
        .where('members.account_id', '=', accountId)
        .unionAll(
          nested
            .selectFrom('team_access')
            .select('team_access.place_id as namespace_id')
            .where('team_access.account_id', '=', accountId),
        ),
    )
    .select([
      'namespaces.name',
      'members.role',
      sql<number>`coalesce(reads_until, 0)`.as('read'),
      sql<number>`coalesce(writes_until, 0)`.as('write'),
      sql<number>`coalesce(administers_until, 0)`.as('admin'),
    ])
}

interface HeldRow {
  readonly role: string | null
  readonly read: number
  readonly write: number
  readonly admin: number
}

function heldBy({ role, read, write, admin }: HeldRow, now: UnixSeconds): HeldRole {
  const teamEnds = { read: Number(read), write: Number(write), admin: Number(admin) }
  return heldRole({ memberRole: role as Role | null, collaboratorRole: null, teamEnds }, now)
}
