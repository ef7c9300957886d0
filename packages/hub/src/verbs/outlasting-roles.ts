/** Refuses an administrator for a time who would give the role admin for longer, also to the own account. */

import type { Verb } from '@latchkey/admin-api'
import { formatTime, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { nameIs } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { NamespaceRow } from '../tables/rows.ts'

export interface RoleGift {
  readonly role?: string | undefined
  readonly team?: string | undefined
  /** The end of a membership; null is without an end. */
  readonly until?: { readonly at: number | null } | undefined
}

interface Giving {
  readonly verb: Pick<Verb, 'words'>
  readonly input: RoleGift
  readonly namespace: NamespaceRow
  /** The end of the role of the actor. */
  readonly until: UnixSeconds
}

/** Security boundary: asked in the transaction of the verb, as the role of the actor is. */
export async function refuseOutlasting(
  tables: Reading,
  { verb: { words }, input, namespace, until }: Giving,
): Promise<Refusal | undefined> {
  // Members, collaborators and the roles of teams have no end.
  if (input.role === 'admin') return outlasts(namespace, until)
  const isJoining = words === 'team-member set' || words === 'team-group set'
  if (!isJoining || input.team === undefined) return undefined
  // The provider renews a membership that comes from a group.
  const end = words === 'team-group set' ? null : (input.until?.at ?? null)
  if (end !== null && end <= until) return undefined
  const administers = await isAdministering(tables, namespace, input.team)
  return administers ? outlasts(namespace, until) : undefined
}

/** The namespace, or one of its repositories. */
async function isAdministering(
  tables: Reading,
  { id }: NamespaceRow,
  name: string,
): Promise<boolean> {
  const found = await tables
    .selectFrom('teams')
    .leftJoin('team_roles', 'team_roles.team_id', 'teams.id')
    .select('teams.id')
    .where('teams.namespace_id', '=', id)
    .where(nameIs(name))
    .where((row) => row.or([row('teams.role', '=', 'admin'), row('team_roles.role', '=', 'admin')]))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

function outlasts({ name }: NamespaceRow, until: UnixSeconds): Refusal {
  const time = formatTime(until)
  return refuse(
    'permission_denied',
    `Your role admin in the namespace "${name}" ends at ${time}, so you may not give the role admin for longer. Use a team membership that ends by then, or ask an administrator whose role has no end.`,
    { missing: `the role admin in the namespace ${name} without an end` },
  )
}
