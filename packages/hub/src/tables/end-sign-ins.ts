/** Ends what people and jobs got by themselves: their sessions, device logins, tokens of CI jobs, and memberships of groups. */

import { type AccountId, isRefusal } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { Change, Origin } from './change.ts'
import { type OwnedHubTokenRow, ownedHubTokens, revokeOwned, splitOwned } from './columns.ts'
import { familySeconds, liveTokensOfFamilies } from './device-tokens.ts'
import type { Directory, Reading } from './directory.ts'
import { endGroupMemberships, endMembership, groupMemberships } from './group-members.ts'
import type { AccountRow } from './rows.ts'

/** After a restore, a failover or a rollback: the ends of some may be lost. */
export async function endSignIns(tables: Reading, now: number): Promise<Change[]> {
  const live = await liveSignIns(tables, now).execute()
  const memberships = await endGroupMemberships(tables, now)
  return [...live.map((owned) => revokeOwned(owned, now)), ...memberships]
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
  return [...live.map((owned) => revokeOwned(owned, now)), ...memberships]
}

/** After their end, rows are kept so long for those who look back. */
export const keptSeconds = 30 * 24 * 3600
const rowsAtOnce = 500

/** Deletes the rows of sessions and CI jobs that ended long ago. Gives how many. A device is deleted as a whole. */
export async function deleteOldSignIns(
  directory: Directory,
  { now, origin }: { readonly now: number; readonly origin: Origin },
): Promise<number> {
  const before = now - keptSeconds
  let deleted = 0
  for (;;) {
    const count = await directory.change(async ({ tables, putAs }) => {
      const old = await ownedHubTokens(tables)
        .where('hub_tokens.origin', 'in', ['session', 'ci'])
        .where((row) =>
          row.or([
            row('hub_tokens.revoked_at', '<', before),
            row('hub_tokens.expires_at', '<', before),
          ]),
        )
        .orderBy('hub_tokens.id')
        .limit(rowsAtOnce)
        .execute()
      const rows = old.map(splitOwned)
      await putAs(origin)(
        rows.map(({ row, account }) => ({ thing: 'hub-token', before: row, account })),
      )
      return rows.length
    })
    if (isRefusal(count)) return deleted
    deleted += count
    if (count < rowsAtOnce) return deleted
  }
}

/** Deletes the rows of memberships that ended days ago: no token of them is alive. Gives how many. */
export async function deleteOldMemberships(
  directory: Directory,
  { now, origin }: { readonly now: number; readonly origin: Origin },
): Promise<number> {
  let deleted = 0
  for (;;) {
    const count = await directory.change(async ({ tables, putAs }) => {
      const old = await groupMemberships(tables)
        .where('group_members.until', '<', now - oldMembershipSeconds)
        .limit(rowsAtOnce)
        .execute()
      await putAs(origin)(old.map(endMembership))
      return old.length
    })
    if (isRefusal(count)) return deleted
    deleted += count
    if (count < rowsAtOnce) return deleted
  }
}

const oldMembershipSeconds = 2 * 86_400

/** Revokes what people made themselves, and device logins, that nobody has used for so long. Gives how many hub tokens. */
export async function revokeUnused(
  directory: Directory,
  { now, days, origin }: { readonly now: number; readonly days: number; readonly origin: Origin },
): Promise<number> {
  const before = now - days * 24 * 3600
  const count = await directory.change(async ({ tables, putAs }) => {
    const own = await ownedHubTokens(tables)
      .where('hub_tokens.origin', '=', 'self')
      .where('hub_tokens.revoked_at', 'is', null)
      .where((row) =>
        row.or([row('hub_tokens.expires_at', 'is', null), row('hub_tokens.expires_at', '>', now)]),
      )
      .where('hub_tokens.created_at', '<', before)
      .where((row) =>
        row.or([
          row('hub_tokens.last_used_at', 'is', null),
          row('hub_tokens.last_used_at', '<', before),
        ]),
      )
      .orderBy('hub_tokens.id')
      .limit(rowsAtOnce)
      .execute()
    const families = await unusedFamilies(tables, { now, before })
    const unused = [...own, ...(await liveTokensOfFamilies(tables, families))]
    await putAs(origin)(unused.map((owned) => revokeOwned(owned, now)))
    return unused.length
  })
  return isRefusal(count) ? 0 : count
}

const familiesAtOnce = 100

/** A device refreshes before its hub token ends, and leaves the old one unused: so its latest use of all counts. */
async function unusedFamilies(
  tables: Reading,
  { now, before }: { readonly now: number; readonly before: number },
): Promise<readonly string[]> {
  const rows = await tables
    .selectFrom('device_families')
    .innerJoin('refresh_tokens', 'refresh_tokens.family_id', 'device_families.id')
    .innerJoin('hub_tokens', 'hub_tokens.id', 'refresh_tokens.hub_token_id')
    .select('device_families.id')
    .where('device_families.expires_at', '>', now)
    .groupBy('device_families.id')
    .having(({ fn, eb, and }) =>
      and([
        eb(fn.max('hub_tokens.created_at'), '<', before),
        eb(fn.coalesce(fn.max('hub_tokens.last_used_at'), sql.lit(0)), '<', before),
        eb(fn.count('hub_tokens.revoked_at'), '=', 0),
      ]),
    )
    .orderBy('device_families.id')
    .limit(familiesAtOnce)
    .execute()
  return rows.map(({ id }) => id)
}

/** Sessions and device logins by one identity provider. A device that is over is not among them. */
export async function findSignInsBy(
  tables: Reading,
  provider: string,
  now: number,
): Promise<{
  readonly sessions: readonly OwnedHubTokenRow[]
  readonly families: readonly string[]
}> {
  const sessions = await liveSignIns(tables, now)
    .innerJoin('sessions', 'sessions.hub_token_id', 'hub_tokens.id')
    .where('sessions.provider', '=', provider)
    .execute()
  const families = await tables
    .selectFrom('device_families')
    .innerJoin('refresh_tokens', 'refresh_tokens.family_id', 'device_families.id')
    .innerJoin('hub_tokens', 'hub_tokens.id', 'refresh_tokens.hub_token_id')
    .select('device_families.id')
    .where('device_families.provider', '=', provider)
    .where('device_families.expires_at', '>', now)
    .groupBy('device_families.id')
    .having(({ fn, eb }) => eb(fn.count('hub_tokens.revoked_at'), '=', 0))
    .execute()
  return { sessions, families: families.map(({ id }) => id) }
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
