/** Makes the session of a sign-in with a hub token. */

import type { HubTokenId, HubTokenKind, Refusal, UnixSeconds } from '@latchkey/protocol'
import { invalidHubToken } from '../identity/identify-caller.ts'
import { type OwnedHubTokenRow, ownedHubTokens, splitOwned } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import {
  freshSeconds,
  type Moment,
  type OpenedSession,
  type OpenSessionDeps,
  openSession,
} from './open-session.ts'

interface HubTokenSignIn {
  readonly hubTokenId: HubTokenId
  /** The session that the browser had before: it ends. */
  readonly before: HubTokenId | undefined
}

/** The hub token may have been revoked or narrowed since it was checked: the session would keep what it had. */
export function openByHubToken(
  deps: OpenSessionDeps,
  { hubTokenId, before }: HubTokenSignIn,
  { now, requestId }: Moment,
): Promise<OpenedSession | Refusal> {
  return openSession(deps, { now, requestId }, async ({ tables }) => {
    const maker = await findLiveHubToken(tables, hubTokenId, now)
    if (maker === undefined) return invalidHubToken()
    const { row, account } = splitOwned(maker)
    const isUnrestricted = row.kind === 'write' && ['admin', 'self'].includes(row.origin)
    return {
      ...{ account, kind: row.kind as HubTokenKind, grants: row.grants, by: { maker: row } },
      ...{ authTime: null, freshUntil: isUnrestricted ? now + freshSeconds : null, before },
    }
  })
}

function findLiveHubToken(
  tables: Reading,
  id: HubTokenId,
  now: UnixSeconds,
): Promise<OwnedHubTokenRow | undefined> {
  return ownedHubTokens(tables)
    .where('hub_tokens.id', '=', id)
    .where('hub_tokens.revoked_at', 'is', null)
    .where((row) =>
      row.or([row('hub_tokens.expires_at', 'is', null), row('hub_tokens.expires_at', '>', now)]),
    )
    .where('accounts.disabled', '=', 0)
    .executeTakeFirst()
}
