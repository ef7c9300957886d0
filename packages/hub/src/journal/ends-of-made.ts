/** Ends what was made from a hub token once that loses something: its sessions, and the devices that those approved. */

import type { HubTokenId } from '@latchkey/protocol'
import type { JournaledChange } from '../tables/change.ts'
import { chunked, type OwnedHubTokenRow, ownedHubTokens, revokeOwned } from '../tables/columns.ts'
import { liveTokensOfFamilies } from '../tables/device-tokens.ts'
import type { Reading } from '../tables/directory.ts'
import type { Beginning } from './append-entries.ts'
import { narrows } from './entry-of.ts'

/**
 * A session has the grants and the end that its hub token had at the sign-in. Every way to change a hub token comes
 * through here, so none misses them. They stand right after the change that ends them.
 */
export async function withEndsOfMade(
  tables: Reading,
  changes: readonly JournaledChange[],
  { milliseconds }: Beginning,
): Promise<readonly JournaledChange[]> {
  const narrowed = changes.filter(isNarrowedMaker)
  const last = narrowed.at(-1)
  if (last === undefined) return changes
  const now = last.after?.revoked_at ?? Math.floor(milliseconds / 1000)
  const ended = new Set(changes.flatMap((change) => endedBy(change) ?? []))
  const more: JournaledChange[] = []
  let makers = narrowed.flatMap(({ before }) => before?.id ?? [])
  while (makers.length > 0) {
    const made = (await findMade(tables, makers, now)).filter(({ id }) => !ended.has(id))
    for (const owned of made) {
      ended.add(owned.id)
      more.push(revokeOwned(owned, now))
    }
    // The hub token of a device can open a session, too.
    makers = made.filter(({ origin }) => origin !== 'session').map(({ id }) => id)
  }
  const place = changes.lastIndexOf(last) + 1
  return [...changes.slice(0, place), ...more, ...changes.slice(place)]
}

type HubTokenChange = Extract<JournaledChange, { readonly thing: 'hub-token' }>

/** No session opens another one. */
function isNarrowedMaker(change: JournaledChange): change is HubTokenChange {
  return change.thing === 'hub-token' && change.before?.origin !== 'session' && narrows(change)
}

function endedBy(change: JournaledChange): HubTokenId | undefined {
  if (change.thing !== 'hub-token') return undefined
  return change.after === undefined || change.after.revoked_at !== null
    ? change.before?.id
    : undefined
}

async function findMade(
  tables: Reading,
  makers: readonly HubTokenId[],
  now: number,
): Promise<readonly OwnedHubTokenRow[]> {
  const made: OwnedHubTokenRow[] = []
  for (const ids of chunked(makers)) {
    const sessions = await ownedHubTokens(tables)
      .innerJoin('sessions', 'sessions.hub_token_id', 'hub_tokens.id')
      .where('sessions.maker_id', 'in', ids)
      .where('hub_tokens.revoked_at', 'is', null)
      .where('hub_tokens.expires_at', '>', now)
      .execute()
    const families = await tables
      .selectFrom('device_families')
      .select('id')
      .where('maker_id', 'in', ids)
      .where('expires_at', '>', now)
      .execute()
    const devices = await liveTokensOfFamilies(
      tables,
      families.map(({ id }) => id),
    )
    for (const owned of [...sessions, ...devices]) made.push(owned)
  }
  return made
}
