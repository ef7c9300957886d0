/** Housekeeping: deletes what ended long ago, and revokes what nobody uses. */

import { type HubTokenId, isRefusal } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { Origin } from './change.ts'
import { ownedHubTokens, revokeOwned, splitOwned } from './columns.ts'
import { liveTokensOfFamilies } from './device-tokens.ts'
import type { Directory, Reading } from './directory.ts'
import { endMembership, groupMemberships } from './group-members.ts'

/** After their end, rows are kept so long for those who look back. */
export const keptSeconds = 30 * 24 * 3600
/** A fleet of jobs leaves many rows. What they did stays in the journal. */
const keptOfJobSeconds = 24 * 3600
const rowsAtOnce = 500

/** Deletes the rows of sessions and CI jobs that ended long ago, each looked at once. Gives how many. A device is deleted as a whole. */
export async function deleteOldSignIns(
  directory: Directory,
  { now, origin }: { readonly now: number; readonly origin: Origin },
): Promise<number> {
  let deleted = 0
  let after = ''
  for (;;) {
    const last = after
    const rows = await directory.change(async ({ tables, putAs }) => {
      const old = await ownedHubTokens(tables)
        .where('hub_tokens.id', '>', last as HubTokenId)
        .where((row) => {
          const ended = (origin: 'session' | 'ci', before: number) =>
            row.and([
              row('hub_tokens.origin', '=', origin),
              row.or([
                row('hub_tokens.revoked_at', '<', before),
                row('hub_tokens.expires_at', '<', before),
              ]),
            ])
          return row.or([ended('session', now - keptSeconds), ended('ci', now - keptOfJobSeconds)])
        })
        .orderBy('hub_tokens.id')
        .limit(rowsAtOnce)
        .execute()
      const ended = old.map(splitOwned)
      await putAs(origin)(
        ended.map(({ row, account }) => ({ thing: 'hub-token', before: row, account })),
      )
      return old
    })
    if (isRefusal(rows)) return deleted
    deleted += rows.length
    if (rows.length < rowsAtOnce) return deleted
    after = rows.at(-1)?.id ?? after
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
