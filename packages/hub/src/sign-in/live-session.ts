import type { AccountId, HubTokenId, UnixSeconds } from '@latchkey/protocol'
import type { Reading } from '../tables/directory.ts'

export interface SessionClaim {
  readonly accountId: AccountId
  readonly sessionId: HubTokenId
  readonly now: UnixSeconds
}

/**
 * For the transaction that makes something from a session: the session, its account, or the hub token that it was made
 * with may have ended since the request was read.
 */
export async function isSessionLive(
  tables: Reading,
  { accountId, sessionId, now }: SessionClaim,
): Promise<boolean> {
  const session = await tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .leftJoin('sessions', 'sessions.hub_token_id', 'hub_tokens.id')
    .select(['hub_tokens.expires_at', 'hub_tokens.revoked_at', 'sessions.maker_id'])
    .where('hub_tokens.id', '=', sessionId)
    .where('hub_tokens.account_id', '=', accountId)
    .where('accounts.disabled', '=', 0)
    .executeTakeFirst()
  if (session === undefined || hasEnded(session, now)) return false
  return isMakerLive(tables, session, now)
}

/**
 * Whether it was ended, or the hub token behind it is over: then what it approved gives nothing any more. One that has
 * expired since has approved in time.
 */
export async function isSessionRevoked(
  tables: Reading,
  { sessionId, now }: Pick<SessionClaim, 'sessionId' | 'now'>,
): Promise<boolean> {
  const session = await tables
    .selectFrom('hub_tokens')
    .leftJoin('sessions', 'sessions.hub_token_id', 'hub_tokens.id')
    .select(['hub_tokens.revoked_at', 'sessions.maker_id'])
    .where('hub_tokens.id', '=', sessionId)
    .executeTakeFirst()
  if (session === undefined || session.revoked_at !== null) return true
  return !(await isMakerLive(tables, session, now))
}

async function isMakerLive(
  tables: Reading,
  { maker_id }: { readonly maker_id: HubTokenId | null },
  now: UnixSeconds,
): Promise<boolean> {
  if (maker_id === null) return true
  const maker = await tables
    .selectFrom('hub_tokens')
    .select(['expires_at', 'revoked_at'])
    .where('id', '=', maker_id)
    .executeTakeFirst()
  return maker !== undefined && !hasEnded(maker, now)
}

interface Ends {
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

function hasEnded({ expires_at, revoked_at }: Ends, now: UnixSeconds): boolean {
  return revoked_at !== null || (expires_at !== null && expires_at <= now)
}
