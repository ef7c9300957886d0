/** Hub tokens as they are found and shown, never with their secret. */

import { grants, hubTokenKind, type Whoami, whoami } from '@latchkey/admin-api'
import {
  formatTime,
  type HubTokenId,
  type Refusal,
  refuse,
  type UnixSeconds,
} from '@latchkey/protocol'
import { z } from 'zod'
import type { WhoamiFacts } from '../http/whoami-route.ts'
import type { Caller } from '../identity/caller.ts'
import { type OwnedHubTokenRow, ownedHubTokens } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow, HubTokenRow } from '../tables/rows.ts'
import {
  exceedsRoles,
  isOfService,
  refuseBeyondOwnEnd,
  refuseBeyondOwnGroups,
  refuseRevivingBeyondOwnEnd,
  refuseRevivingServiceToken,
} from './administrators.ts'
import { delegatedGroups } from './delegation.ts'
import type { NewHubToken } from './hub-token-rows.ts'

export function findHubToken(
  tables: Reading,
  id: HubTokenId,
): Promise<OwnedHubTokenRow | undefined> {
  return ownedHubTokens(tables).where('hub_tokens.id', '=', id).executeTakeFirst()
}

/** Undefined is every one: those of a delegated administrator are few without a list, too. */
export function groupsOf({ admin_scopes, namespaces }: HubTokenRow): string[] | undefined {
  if (admin_scopes !== null) return z.array(z.string()).parse(JSON.parse(admin_scopes))
  return namespaces === null ? undefined : [...delegatedGroups]
}

export function namespacesIn({ namespaces }: HubTokenRow): string[] | undefined {
  return namespaces === null ? undefined : z.array(z.string()).parse(JSON.parse(namespaces))
}

export function noHubToken(): Refusal {
  return refuse(
    'resource_not_found',
    'There is no hub token with this id. List the hub tokens to see their ids.',
    { next: ['hub-token', 'list'] },
  )
}

export function shownHubToken(row: OwnedHubTokenRow): Whoami['hubToken'] {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    kind: hubTokenKind.parse(row.kind),
    origin: row.origin,
    hint: row.hint,
    ...(row.kind === 'fine-grained' ? { grants: grants.parse(JSON.parse(row.grants)) } : {}),
    ...(row.admin_scopes === null ? {} : { adminScopes: groupsOf(row) ?? [] }),
    ...(row.namespaces === null ? {} : { namespaces: namespacesIn(row) ?? [] }),
    ...(row.storage === null ? {} : { storage: row.storage }),
    createdAt: time(row.created_at),
    ...(row.expires_at === null ? {} : { expiresAt: time(row.expires_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: time(row.revoked_at) }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: time(row.last_used_at) }),
  }
}

function time(moment: number): string {
  return formatTime(moment as UnixSeconds)
}

export function refuseMakingHubToken(
  actor: Caller | undefined,
  { kind, adminScopes, namespaces, expiresAt }: Omit<NewHubToken, 'name'>,
): Refusal | undefined {
  const groups = adminScopes ?? (namespaces && delegatedGroups)
  const beyond = exceedsRoles(kind) ? refuseBeyondOwnGroups(actor, groups) : undefined
  return beyond ?? refuseBeyondOwnEnd(actor, expiresAt?.at ?? null)
}

/** Refuses if the token reaches more than the actor, before or after the change. */
export function refuseChangingHubToken(
  actor: Caller | undefined,
  row: HubTokenRow,
  changed: HubTokenRow,
): Refusal | undefined {
  const beyond = exceedsRoles(row.kind)
    ? (refuseBeyondOwnGroups(actor, groupsOf(row)) ??
      refuseBeyondOwnGroups(actor, groupsOf(changed)))
    : undefined
  return beyond ?? refuseBeyondOwnEnd(actor, changed.expires_at)
}

interface Reviving {
  readonly tables: Reading
  readonly actor?: Caller | undefined
  /** Hub tokens that are revoked by the same change. */
  readonly revoked?: ReadonlySet<HubTokenId>
}

/** Enabling an account makes all its hub tokens work again; appointing an administrator, its admin ones. */
export async function refuseRevivingHubTokens(
  { tables, actor, revoked }: Reviving,
  row: AccountRow,
  changed: AccountRow,
): Promise<Refusal | undefined> {
  const enables = row.disabled === 1 && changed.disabled === 0
  const appoints = row.administrator === 0 && changed.administrator === 1
  if (!(enables || appoints)) return undefined
  const stored = await tables
    .selectFrom('hub_tokens')
    .select(['id', 'kind', 'expires_at'])
    .where('account_id', '=', row.id)
    .where('revoked_at', 'is', null)
    .execute()
  const live = stored.filter(({ id }) => !revoked?.has(id))
  const isBeyond = enables && live.some(({ kind }) => isOfService(kind))
  const beyond = isBeyond ? refuseRevivingServiceToken(actor) : undefined
  const ownEnd = actor?.expiresAt
  if (beyond !== undefined || ownEnd === undefined) return beyond
  const revived = enables ? live : live.filter(({ kind }) => kind === 'admin')
  const outlives = revived.some(({ expires_at }) => expires_at === null || expires_at > ownEnd)
  return outlives ? refuseRevivingBeyondOwnEnd(actor, row.name) : undefined
}

/** One statement, so that both are of one moment; undefined when the hub token counts no more. */
export async function findWhoami(
  tables: Reading,
  hubTokenId: HubTokenId,
): Promise<Whoami | undefined> {
  const row = await tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .selectAll('hub_tokens')
    .select(['accounts.name as account', 'accounts.kind as account_kind', 'administrator'])
    .where('hub_tokens.id', '=', hubTokenId)
    .where('revoked_at', 'is', null)
    .where('disabled', '=', 0)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { account: name, account_kind: kind, administrator } = row
  const owner = { name, kind, administrator: administrator === 1 }
  return whoami.parse({ account: owner, hubToken: shownHubToken(row) })
}

const maxNamespaces = 1000

/** The same with the id of the account and its namespaces. */
export async function findWhoamiFacts(
  tables: Reading,
  hubTokenId: HubTokenId,
): Promise<WhoamiFacts | undefined> {
  const found = await findWhoami(tables, hubTokenId)
  if (found === undefined) return undefined
  const { id: accountId } = await tables
    .selectFrom('accounts')
    .innerJoin('hub_tokens', 'hub_tokens.account_id', 'accounts.id')
    .select('accounts.id')
    .where('hub_tokens.id', '=', hubTokenId)
    .executeTakeFirstOrThrow()
  const namespaces = await tables
    .selectFrom('members')
    .innerJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .select(['namespaces.name', 'members.role'])
    .where('members.account_id', '=', accountId)
    .orderBy('namespaces.name')
    .limit(maxNamespaces)
    .execute()
  return { accountId, whoami: found, namespaces }
}
