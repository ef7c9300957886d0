/** Delegated administration: admin hub tokens that manage their namespaces, for accounts with the role admin there. */

import type { AdminScope, Verb, Words } from '@latchkey/admin-api'
import { type Refusal, type RepoRef, refuse, roleCovers } from '@latchkey/protocol'
import { noEnd } from '../access/access-store.ts'
import type { Caller } from '../identity/caller.ts'
import { countOf } from '../tables/columns.ts'
import type { Reading, Work } from '../tables/directory.ts'
import { heldInNamespace } from './held-roles.ts'
import { findNamespace } from './namespaces.ts'
import { type RoleGift, refuseOutlasting } from './outlasting-roles.ts'

/** The verbs that an administrator of a namespace may use there. Each names the namespace, or a repository in it. */
const delegated: ReadonlySet<Words> = new Set<Words>([
  'namespace show',
  ...(['member set', 'member list', 'member delete'] as const),
  ...(['team create', 'team list', 'team show', 'team set', 'team delete'] as const),
  ...(['team-member set', 'team-member list', 'team-member delete'] as const),
  ...(['team-group set', 'team-group list', 'team-group delete'] as const),
  ...(['repo create', 'repo list', 'repo show', 'repo set', 'repo delete'] as const),
  ...(['collaborator set', 'collaborator list', 'collaborator delete'] as const),
  ...(['team-role set', 'team-role list', 'team-role delete'] as const),
  ...(['publisher create', 'publisher list', 'publisher show', 'publisher set'] as const),
  ...(['publisher delete', 'publisher refusals', 'publisher explain'] as const),
  ...(['ref-rule set', 'ref-rule list', 'ref-rule delete'] as const),
])

/** The largest admin scopes of a hub token that carries namespaces. */
export const delegatedGroups = ['namespace', 'repository'] as const satisfies readonly AdminScope[]

export function isDelegated({ words }: Pick<Verb, 'words'>): boolean {
  return delegated.has(words)
}

type DelegatedWork = Pick<Work, 'tables' | 'now'> & { readonly actor: Caller | undefined }

interface DelegatedInput extends RoleGift {
  readonly namespace?: string | undefined
  readonly repository?: RepoRef | undefined
  readonly storage?: unknown
}

/**
 * Security boundary: asked in the transaction of the verb, so that a role that was lost is lost. A namespace that does
 * not exist is refused like one that belongs to others.
 */
export async function refuseBeyondNamespaces(
  { tables, now, actor }: DelegatedWork,
  verb: Pick<Verb, 'words'>,
  input: DelegatedInput,
): Promise<Refusal | undefined> {
  if (actor?.namespaces === undefined) return undefined
  if (!isDelegated(verb)) return beyondNamespaces(verb, actor)
  const name = input.repository?.namespace ?? input.namespace
  if (name === undefined) return beyond('must name the namespace', actor)
  if (!actor.namespaces.includes(name)) return beyond(`does not manage "${name}"`, actor)
  // The storages belong to the hub.
  if (input.storage !== undefined) return beyond('may not choose a storage', actor)
  if (actor.administrator) return undefined
  const namespace = await findNamespace(tables, name)
  if (namespace === undefined) return noRole(name)
  const { role, roleUntil } = await heldInNamespace(tables, namespace.id, { ...actor, now })
  if (!roleCovers(role, 'admin')) return noRole(name)
  return roleUntil && refuseOutlasting(tables, { verb, input, namespace, until: roleUntil })
}

/** Undefined for an actor who may leave a namespace without an administrator. */
export async function administratorsBefore(
  { tables, actor }: DelegatedWork,
  { namespace: name }: DelegatedInput,
): Promise<((tables: Reading) => Promise<Refusal | undefined>) | undefined> {
  if (actor?.namespaces === undefined || name === undefined) return undefined
  const namespace = await findNamespace(tables, name)
  if (namespace === undefined) return undefined
  if ((await countAdministrators(tables, namespace.id)) === 0) return undefined
  return async (after) =>
    (await countAdministrators(after, namespace.id)) > 0 ? undefined : lastOne(name)
}

/** Accounts that are not disabled and hold the role without an end. */
async function countAdministrators(tables: Reading, namespaceId: string): Promise<number> {
  const members = tables
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .where('members.namespace_id', '=', namespaceId)
    .where('members.role', '=', 'admin')
    .where('accounts.disabled', '=', 0)
  const inTeams = tables
    .selectFrom('team_access')
    .innerJoin('accounts', 'accounts.id', 'team_access.account_id')
    .where('team_access.place_id', '=', namespaceId)
    .where('administers_until', '=', noEnd)
    .where('accounts.disabled', '=', 0)
  return (await countOf(members)) + (await countOf(inTeams))
}

/** The verb concerns the whole hub, or content. */
export function beyondNamespaces({ words }: Pick<Verb, 'words'>, actor: Caller): Refusal {
  return beyond(`may not use "${words}"`, actor)
}

function beyond(what: string, { namespaces = [] }: Caller): Refusal {
  return refuse(
    'permission_denied',
    `This admin hub token manages the namespaces ${namespaces.join(', ')}, so it ${what}. Use it for those namespaces, or use an admin hub token without namespaces.`,
    { missing: 'an admin hub token that is not limited to namespaces' },
  )
}

function noRole(namespace: string): Refusal {
  return refuse(
    'permission_denied',
    `Your account does not have the role admin in the namespace "${namespace}". Ask an administrator for that role.`,
    { missing: `the role admin in the namespace ${namespace}` },
  )
}

function lastOne(namespace: string): Refusal {
  return refuse(
    'conflict',
    `This change would leave the namespace "${namespace}" without an administrator. Give another account the role admin first, without an end.`,
    { next: ['member', 'set', namespace, 'ACCOUNT', 'admin'] },
  )
}
