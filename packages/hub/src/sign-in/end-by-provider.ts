/** Ends what an identity provider gave: it does not know the person any more, or is not configured. */

import type { Origin } from '../tables/change.ts'
import { chunked, ownedHubTokens, revokeOwned } from '../tables/columns.ts'
import { liveTokensOfFamilies } from '../tables/device-tokens.ts'
import type { BookkeepingTransaction, Directory, Tables } from '../tables/directory.ts'
import { endMembership, groupMemberships } from '../tables/group-members.ts'
import type { ProviderSettings } from './provider-settings.ts'
import { type DueToken, deleteProviderToken, liveDevices } from './provider-tokens.ts'

interface Ended {
  readonly now: number
  readonly origin: Origin
}

/** Sessions and devices by this provider, approvals that no device has used yet, and the memberships of the person. */
export async function endByProvider(
  { tables, putAs }: BookkeepingTransaction,
  { account, provider, issuer, subject }: Omit<DueToken, 'sealed' | 'ask_at'>,
  { now, origin }: Ended,
): Promise<void> {
  const sessions = await ownedHubTokens(tables)
    .innerJoin('sessions', 'sessions.hub_token_id', 'hub_tokens.id')
    .where('hub_tokens.account_id', '=', account.id)
    .where('hub_tokens.revoked_at', 'is', null)
    .where('hub_tokens.expires_at', '>', now)
    .where('sessions.provider', '=', provider)
    .execute()
  const families = await liveDevices(tables, { account, provider, now })
  const devices = await liveTokensOfFamilies(tables, families)
  const memberships = await groupMemberships(tables)
    .where('group_members.issuer', '=', issuer)
    .where('group_members.subject', '=', subject)
    .execute()
  await denyApprovals(tables, account)
  await deleteProviderToken(tables, { issuer, subject })
  const hubTokens = [...sessions, ...devices].map((owned) => revokeOwned(owned, now))
  await putAs(origin)([...hubTokens, ...memberships.map(endMembership)])
}

/** A device that comes for its hub token now would outlive the person's access. */
async function denyApprovals(tables: Tables, { id }: DueToken['account']): Promise<void> {
  await tables
    .updateTable('device_codes')
    .set({ account_id: null })
    .where('account_id', '=', id)
    .where('used_at', 'is', null)
    .execute()
}

const membershipsAtOnce = 500

/** At the start: of providers that the configuration names no more, or names with another issuer. Gives how many. */
export async function endUnconfigured(
  directory: Pick<Directory, 'note' | 'readBeside'>,
  providers: readonly Pick<ProviderSettings, 'name' | 'issuer'>[],
  origin: Origin,
): Promise<number> {
  const isConfigured = (row: { readonly provider: string; readonly issuer: string }) =>
    providers.some(({ name, issuer }) => name === row.provider && issuer === row.issuer)
  const givers = await directory.readBeside(async (tables) => {
    const [tokens, members] = [
      tables.selectFrom('provider_tokens').select(['provider', 'issuer']).distinct(),
      tables.selectFrom('group_members').select(['provider', 'issuer']).distinct(),
    ]
    return tokens.union(members).execute()
  })
  let ended = 0
  for (const { provider, issuer } of givers.filter((row) => !isConfigured(row))) {
    await directory.note('provider token', async ({ tables, putAs }) => {
      await tables
        .deleteFrom('provider_tokens')
        .where('provider', '=', provider)
        .where('issuer', '=', issuer)
        .execute()
      const rows = await groupMemberships(tables)
        .where('group_members.provider', '=', provider)
        .where('group_members.issuer', '=', issuer)
        .execute()
      for (const some of chunked(rows, membershipsAtOnce)) {
        await putAs(origin)(some.map(endMembership))
      }
      ended += rows.length
      return undefined
    })
  }
  return ended
}
