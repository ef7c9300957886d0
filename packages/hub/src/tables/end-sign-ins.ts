/** Ends what people and jobs got by themselves: their sessions, device logins, tokens of CI jobs, and memberships of groups. */

import type { AccountId } from '@latchkey/protocol'
import type { Change } from './change.ts'
import { type OwnedHubTokenRow, ownedHubTokens, revokeOwned } from './columns.ts'
import { familySeconds, liveTokensOfFamilies } from './device-tokens.ts'
import type { Reading } from './directory.ts'
import {
  endGroupMemberships,
  endMembership,
  groupMemberships,
  type NamedMembership,
} from './group-members.ts'
import type { AccountRow, IdentityRow, ProviderTokenRow } from './rows.ts'

/** After a restore, a failover or a rollback: the ends of some may be lost. */
export async function endSignIns(tables: Reading, now: number): Promise<Change[]> {
  const live = await liveSignIns(tables, now).execute()
  const memberships = await endGroupMemberships(tables, now)
  const tokens = await providerTokens(tables).execute()
  return [...live.map((owned) => revokeOwned(owned, now)), ...memberships, ...tokens.map(forgotten)]
}

/** A disabled account loses them for good; its other hub tokens work again when it is enabled. */
export async function endSignInsOfDisabled(
  tables: Reading,
  {
    before,
    after,
    now,
  }: { readonly before: AccountRow; readonly after: AccountRow; readonly now: number },
): Promise<Change[]> {
  if (before.disabled === 1 || after.disabled === 0) return []
  const live = await liveSignIns(tables, now, before.id).execute()
  const memberships = await endGroupMemberships(tables, now, before.id)
  const tokens = await providerTokens(tables)
    .where('identities.account_id', '=', before.id)
    .execute()
  return [...live.map((owned) => revokeOwned(owned, now)), ...memberships, ...tokens.map(forgotten)]
}

/** The hub asks no provider with them any more, and an answer that comes now changes nothing. */
function providerTokens(tables: Reading) {
  return tables
    .selectFrom('provider_tokens')
    .innerJoin('identities', (join) =>
      join
        .onRef('identities.issuer', '=', 'provider_tokens.issuer')
        .onRef('identities.subject', '=', 'provider_tokens.subject'),
    )
    .select(['provider_tokens.issuer', 'provider_tokens.subject'])
    .orderBy('provider_tokens.issuer')
    .orderBy('provider_tokens.subject')
}

function forgotten(person: Pick<ProviderTokenRow, 'issuer' | 'subject'>): Change {
  return { thing: 'provider-token', ...person }
}

/** Without a person, those of all people. */
interface SignInsBy {
  readonly provider: string
  readonly now: number
  readonly person?: Pick<IdentityRow, 'account_id' | 'issuer' | 'subject'> | undefined
}

export interface EndedSignIns {
  readonly sessions: readonly OwnedHubTokenRow[]
  /** Device logins. */
  readonly families: readonly string[]
  readonly hubTokens: readonly OwnedHubTokenRow[]
  readonly memberships: readonly NamedMembership[]
  readonly changes: readonly Change[]
}

/**
 * Ends what an identity provider gave: sessions, devices, approvals that no device has used yet, memberships, and the
 * sealed tokens with which the hub would ask again.
 */
export async function endSignInsBy(
  tables: Reading,
  { provider, now, person }: SignInsBy,
): Promise<EndedSignIns> {
  const sessions = await liveSignIns(tables, now, person?.account_id)
    .innerJoin('sessions', 'sessions.hub_token_id', 'hub_tokens.id')
    .where('sessions.provider', '=', provider)
    .execute()
  const families = await liveFamiliesBy(tables, { provider, now, accountId: person?.account_id })
  const approvals = await approvalsBy(tables, { provider, person })
  const allMemberships = groupMemberships(tables)
  const memberships = await (person === undefined
    ? allMemberships.where('group_members.provider', '=', provider)
    : allMemberships
        .where('group_members.issuer', '=', person.issuer)
        .where('group_members.subject', '=', person.subject)
  ).execute()
  const people =
    person === undefined
      ? await providerTokens(tables).where('provider_tokens.provider', '=', provider).execute()
      : [{ issuer: person.issuer, subject: person.subject }]
  const hubTokens = [...sessions, ...(await liveTokensOfFamilies(tables, families))]
  const changes: readonly Change[] = [
    ...hubTokens.map((owned) => revokeOwned(owned, now)),
    ...memberships.map(endMembership),
    ...approvals.map(({ code_hash: codeHash }): Change => ({ thing: 'approval', codeHash })),
    ...people.map(forgotten),
  ]
  return { sessions, families, hubTokens, memberships, changes }
}

/** A device that comes for its hub token now would outlive the person's access. */
function approvalsBy(
  tables: Reading,
  { provider, person }: Pick<SignInsBy, 'provider' | 'person'>,
): Promise<readonly { readonly code_hash: string }[]> {
  const unused = tables
    .selectFrom('device_codes')
    .innerJoin('sessions', 'sessions.hub_token_id', 'device_codes.session_id')
    .select('device_codes.code_hash')
    .where('sessions.provider', '=', provider)
    .where('device_codes.used_at', 'is', null)
    .where('device_codes.account_id', 'is not', null)
  return (
    person === undefined ? unused : unused.where('device_codes.account_id', '=', person.account_id)
  ).execute()
}

/** The ids of the devices by one provider. One that is over is not among them. */
export async function liveFamiliesBy(
  tables: Reading,
  {
    provider,
    now,
    accountId,
  }: Pick<SignInsBy, 'provider' | 'now'> & { readonly accountId?: AccountId | undefined },
): Promise<readonly string[]> {
  const all = tables
    .selectFrom('device_families')
    .innerJoin('refresh_tokens', 'refresh_tokens.family_id', 'device_families.id')
    .innerJoin('hub_tokens', 'hub_tokens.id', 'refresh_tokens.hub_token_id')
    .select('device_families.id')
    .where('device_families.provider', '=', provider)
    .where('device_families.expires_at', '>', now)
    .groupBy('device_families.id')
    .having(({ fn, eb }) => eb(fn.count('hub_tokens.revoked_at'), '=', 0))
  const rows = await (accountId === undefined
    ? all
    : all.where('device_families.account_id', '=', accountId)
  ).execute()
  return rows.map(({ id }) => id)
}

/** Sessions and device logins of one account. */
export async function endSessionsOf(
  tables: Reading,
  { accountId, now }: { readonly accountId: AccountId; readonly now: number },
): Promise<Change[]> {
  const live = await liveSignIns(tables, now, accountId).execute()
  return live.map((owned) => revokeOwned(owned, now))
}

function liveSignIns(tables: Reading, now: number, accountId?: AccountId) {
  const all = ownedHubTokens(tables)
    .where('hub_tokens.origin', 'in', ['session', 'device', 'ci'])
    .where('hub_tokens.revoked_at', 'is', null)
    .where((row) =>
      row.or([
        row('hub_tokens.expires_at', 'is', null),
        row('hub_tokens.expires_at', '>', now),
        // Its device may still have a refresh token, which ends with any of its hub tokens.
        row.and([
          row('hub_tokens.origin', '=', 'device'),
          row('hub_tokens.created_at', '>', now - familySeconds),
        ]),
      ]),
    )
    .orderBy('hub_tokens.id')
  return accountId === undefined ? all : all.where('hub_tokens.account_id', '=', accountId)
}
