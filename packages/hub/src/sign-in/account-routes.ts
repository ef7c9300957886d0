/** `/account/v1`: an account lists and revokes its own hub tokens and sessions, by a hub token of its own. */

import {
  formatTime,
  isRefusal,
  parseHubTokenId,
  type Refusal,
  refuse,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { Call } from '@latchkey/service/http/call'
import type { Handle, Route } from '@latchkey/service/http/routes'
import { identifyBy } from '../http/identify.ts'
import type { Caller } from '../identity/caller.ts'
import type { OwnedHubTokenRow } from '../tables/columns.ts'
import { ownedHubTokens } from '../tables/columns.ts'
import { noHubToken, shownHubToken } from '../verbs/hub-token-view.ts'
import { liveSessions } from './open-session.ts'
import { revokeOwn } from './own-hub-tokens.ts'
import type { SignInDeps } from './sign-in-routes.ts'

type AccountDeps = Pick<SignInDeps, 'directory' | 'authenticating' | 'clientAddress' | 'clock'>

const base = '/account/v1'
const maxRows = 1000

export function accountRoutes(deps: AccountDeps): readonly Route[] {
  const as = asSelf(deps)
  const { directory, clock } = deps
  const revoke = as(async (caller, { requestId }, { id = '' }) => {
    const hubTokenId = parseHubTokenId(id)
    if (hubTokenId === undefined) return noHubToken()
    return revokeOwn(caller, hubTokenId, { now: clock(), requestId }, deps)
  })
  const listTokens = as(async ({ accountId }) => {
    const rows = await directory.readBeside((tables) =>
      ownedHubTokens(tables)
        .where('hub_tokens.account_id', '=', accountId)
        .where('hub_tokens.origin', '<>', 'session')
        .where('hub_tokens.revoked_at', 'is', null)
        .orderBy('hub_tokens.created_at')
        .orderBy('hub_tokens.id')
        .limit(maxRows)
        .execute(),
    )
    return { items: rows.map((row: OwnedHubTokenRow) => shownHubToken(row)) }
  })
  const listSessions = as(async ({ accountId }) => {
    const rows = await directory.readBeside((tables) =>
      liveSessions(tables, accountId, clock()).limit(maxRows).execute(),
    )
    return { items: rows.map(shownSession) }
  })
  // biome-ignore format: a table is read by its columns
  return [
    { method: 'GET',  path: `${base}/hub-tokens`,             handle: listTokens,   plainJson: true },
    { method: 'POST', path: `${base}/hub-tokens/{id}/revoke`, handle: revoke,       plainJson: true },
    { method: 'GET',  path: `${base}/sessions`,               handle: listSessions, plainJson: true },
    { method: 'POST', path: `${base}/sessions/{id}/revoke`,   handle: revoke,       plainJson: true },
  ]
}

interface ListedSession {
  readonly id: string
  readonly provider: string | null
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_seen_at: number
}

function shownSession({ id, provider, created_at, expires_at, last_seen_at }: ListedSession) {
  const time = (moment: number) => formatTime(moment as UnixSeconds)
  return {
    id,
    ...(provider === null ? {} : { provider }),
    createdAt: time(created_at),
    ...(expires_at === null ? {} : { expiresAt: time(expires_at) }),
    lastSeenAt: time(last_seen_at),
  }
}

type Work = (
  caller: Caller,
  call: Call,
  values: Readonly<Record<string, string>>,
) => Promise<object | Refusal>

/** A restricted hub token, and that of a CI job, may leak more easily: it ends no other. */
function asSelf({ authenticating, clientAddress, clock }: AccountDeps) {
  const identify = identifyBy(authenticating, clientAddress, clock)
  return (work: Work): Handle =>
    async (call, values) => {
      const { result } = await identify(call.request)
      if (isRefusal(result)) return result
      const { caller } = result
      if (caller.kind !== 'write' || caller.origin === 'ci') return restricted
      const answer = await work(caller, call, values)
      return isRefusal(answer) ? answer : { body: JSON.stringify(answer) }
    }
}

const restricted = refuse(
  'permission_denied',
  'Only an unrestricted hub token manages the hub tokens of its account. Use one of kind write.',
  { missing: 'a hub token of kind write' },
)
