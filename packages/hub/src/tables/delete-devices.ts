/** Deletes devices that ended long ago, and codes and answers that count no more. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Origin } from './change.ts'
import { splitOwned } from './columns.ts'
import { repeatSeconds, tokensOfFamily } from './device-tokens.ts'
import type { Directory, Reading } from './directory.ts'
import { keptSeconds } from './old-sign-ins.ts'

const devicesAtOnce = 100
/** A code counts for minutes; its row stays for a day. */
const codeKeptSeconds = 86_400

interface Cleaning {
  readonly now: number
  readonly origin: Origin
}

/** Gives how many devices it deleted. Their hub tokens go together: with one of them alone, its revocation would go. */
export async function deleteOldDevices(
  directory: Directory,
  { now, origin }: Cleaning,
): Promise<number> {
  await directory.note('device code', async ({ tables }) => {
    const isRepeated = now - repeatSeconds
    const old = tables.updateTable('refresh_tokens').set({ sealed: null })
    await old.where('sealed', 'is not', null).where('used_at', '<', isRepeated).execute()
    const before = now - codeKeptSeconds
    await tables.deleteFrom('device_codes').where('expires_at', '<', before).execute()
  })
  let deleted = 0
  for (;;) {
    const count = await deleteSome(directory, { now, origin })
    if (isRefusal(count)) return deleted
    deleted += count
    if (count < devicesAtOnce) return deleted
  }
}

function deleteSome(directory: Directory, { now, origin }: Cleaning): Promise<number | Refusal> {
  return directory.note('refresh token', async ({ tables, putAs }) => {
    const ids = await endedDevices(tables, now - keptSeconds)
    for (const id of ids) {
      const rows = (await tokensOfFamily(tables, id).execute()).map(splitOwned)
      await putAs(origin)(
        rows.map(({ row, account }) => ({ thing: 'hub-token', before: row, account })),
      )
      await tables.deleteFrom('device_families').where('id', '=', id).execute()
    }
    return ids.length
  })
}

async function endedDevices(tables: Reading, before: number): Promise<readonly string[]> {
  const rows = await tables
    .selectFrom('device_families')
    .select('device_families.id')
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('device_families.expires_at', '<', before),
        exists(
          selectFrom('refresh_tokens')
            .innerJoin('hub_tokens', 'hub_tokens.id', 'refresh_tokens.hub_token_id')
            .select('hub_tokens.id')
            .whereRef('refresh_tokens.family_id', '=', 'device_families.id')
            .where('hub_tokens.revoked_at', '<', before),
        ),
      ]),
    )
    .limit(devicesAtOnce)
    .execute()
  return rows.map(({ id }) => id)
}
