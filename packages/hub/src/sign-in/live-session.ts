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
  if (session.maker_id === null) return true
  const maker = await tables
    .selectFrom('hub_tokens')
    .select(['expires_at', 'revoked_at'])
    .where('id', '=', session.maker_id)
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
