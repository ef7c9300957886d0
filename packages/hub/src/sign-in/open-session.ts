/** Makes the session of a sign-in, and ends sessions. */

import {
  type HubTokenId,
  type HubTokenKind,
  isRefusal,
  type Refusal,
  type Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import { hashHubToken, hintOf, makeHubToken, sessionPrefix } from '../identity/hub-token.ts'
import type { Change } from '../tables/change.ts'
import { ownedHubTokens, revokeOwned } from '../tables/columns.ts'
import type { BookkeepingTransaction, Directory, Reading } from '../tables/directory.ts'
import type { AccountRow, HubTokenRow, SessionRow } from '../tables/rows.ts'
import { absoluteSeconds, idleSeconds } from './session-port.ts'

/** After a sign-in, a session is fresh for so long. */
export const freshSeconds = 15 * 60
/** A clock that is ahead by more makes a sign-in look newer than it is. */
const maxAheadSeconds = 60

/** Null for a sign-in that gives no fresh session: the provider does not say when it asked the person, or it was earlier. */
export function freshUntil(
  { authTime }: { readonly authTime: UnixSeconds | undefined },
  now: UnixSeconds,
): number | null {
  if (authTime === undefined || authTime > now + maxAheadSeconds) return null
  return authTime + freshSeconds > now ? authTime + freshSeconds : null
}

/** The oldest ends where a sign-in would be one too many. */
const maxSessionsOfAccount = 50

export interface NewSession {
  readonly account: Pick<AccountRow, 'id' | 'name'>
  readonly kind: HubTokenKind
  /** As JSON, for a session of a fine-grained hub token. */
  readonly grants: string
  /** The identity provider, or the hub token that was used. */
  readonly by:
    | { readonly provider: string }
    | { readonly maker: Pick<HubTokenRow, 'id' | 'expires_at'> }
  readonly authTime: number | null
  readonly freshUntil: number | null
  /** The session that the browser had before: it ends. */
  readonly before: HubTokenRow['id'] | undefined
}

export interface OpenedSession {
  readonly hubTokenId: HubTokenId
  readonly account: NewSession['account']
  readonly secret: Secret<'hub-token'>
  readonly seconds: number
}

export interface OpenSessionDeps {
  readonly directory: Pick<Directory, 'note'>
  readonly randomBytes: RandomBytes
}

export interface Moment {
  readonly now: UnixSeconds
  readonly requestId: string
}

/** `decide` reads the account in the transaction that makes the session, and may make the account too. */
export async function openSession(
  { directory, randomBytes }: OpenSessionDeps,
  { now, requestId }: Moment,
  decide: (transaction: BookkeepingTransaction) => Promise<NewSession | Refusal>,
): Promise<OpenedSession | Refusal> {
  return directory.note('session seen', async (transaction) => {
    const wish = await decide(transaction)
    if (isRefusal(wish)) return wish
    const { tables, putAs } = transaction
    const { secret, row, session } = makeSession(wish, now, randomBytes)
    const { account } = wish
    const actor = { accountId: account.id, accountName: account.name, hubTokenId: row.id }
    const ended = await endedBy(tables, wish, now)
    await putAs({ verb: 'sign-in', actor, requestId })([
      ...ended,
      { thing: 'hub-token', after: row, account },
    ])
    await tables.insertInto('sessions').values(session).execute()
    return { hubTokenId: row.id, account, secret, seconds: Number(row.expires_at) - now }
  })
}

function makeSession(
  { account, kind, grants, by, authTime, freshUntil }: NewSession,
  now: UnixSeconds,
  randomBytes: RandomBytes,
): { secret: Secret<'hub-token'>; row: HubTokenRow; session: SessionRow } {
  const secret = makeHubToken(sessionPrefix, randomBytes)
  const id = newId<HubTokenId>(randomBytes)
  const maker = 'maker' in by ? by.maker : undefined
  const row: HubTokenRow = {
    ...{ id, account_id: account.id, name: `session-${id}`, kind, origin: 'session' },
    ...{ secret_hash: hashHubToken(secret), hint: hintOf(secret) },
    ...{ grants, admin_scopes: null, namespaces: null, storage: null, created_at: now },
    expires_at: Math.min(now + absoluteSeconds, maker?.expires_at ?? Number.POSITIVE_INFINITY),
    ...{ revoked_at: null, last_used_at: null },
  }
  const session: SessionRow = {
    hub_token_id: id,
    provider: 'provider' in by ? by.provider : null,
    maker_id: maker?.id ?? null,
    auth_time: authTime,
    fresh_until: freshUntil,
    makes_until: maker?.expires_at ?? null,
    last_seen_at: now,
  }
  return { secret, row, session }
}

/** The session that is replaced, and the oldest of too many. */
async function endedBy(
  tables: Reading,
  { account, before }: NewSession,
  now: UnixSeconds,
): Promise<Change[]> {
  const live = ownedHubTokens(tables)
    .where('hub_tokens.origin', '=', 'session')
    .where('hub_tokens.revoked_at', 'is', null)
    .where('hub_tokens.expires_at', '>', now)
    .orderBy('hub_tokens.created_at', 'desc')
    .orderBy('hub_tokens.id')
  const own = await live.where('hub_tokens.account_id', '=', account.id).execute()
  const others = own.filter(({ id }) => id !== before)
  const ended = others.slice(maxSessionsOfAccount - 1)
  // It may be of another account.
  if (before !== undefined)
    ended.push(...(await live.where('hub_tokens.id', '=', before).execute()))
  return ended.map((owned) => revokeOwned(owned, now))
}

/** Live sessions of an account, the newest first. An idle one has ended. */
export function liveSessions(tables: Reading, accountId: AccountRow['id'], now: UnixSeconds) {
  return tables
    .selectFrom('hub_tokens')
    .innerJoin('sessions', 'sessions.hub_token_id', 'hub_tokens.id')
    .select(['hub_tokens.id', 'hub_tokens.created_at', 'hub_tokens.expires_at'])
    .select(['sessions.provider', 'sessions.last_seen_at'])
    .where('hub_tokens.account_id', '=', accountId)
    .where('hub_tokens.origin', '=', 'session')
    .where('hub_tokens.revoked_at', 'is', null)
    .where('hub_tokens.expires_at', '>', now)
    .where('sessions.last_seen_at', '>', now - idleSeconds)
    .orderBy('hub_tokens.created_at', 'desc')
    .orderBy('hub_tokens.id')
}
