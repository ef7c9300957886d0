/** The hub tokens of one account, as the account itself manages them: never more than it has itself. */

import {
  type HubTokenId,
  isRefusal,
  type Refusal,
  refuse,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { ownedHubTokens, revokeOwned } from '../tables/columns.ts'
import type { Directory, Reading } from '../tables/directory.ts'
import { noHubToken } from '../verbs/hub-token-view.ts'
import type { AccountLimit } from './account-limits.ts'
import { isSessionLive } from './live-session.ts'
import {
  type HubTokenPolicy,
  type MadeToken,
  makePlanned,
  type OwnWish,
  originOf,
  planCreation,
  planRotation,
  type Self,
} from './own-plans.ts'
import type { Session } from './session-port.ts'

export interface OwnDeps {
  readonly directory: Directory
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
  readonly policy: HubTokenPolicy
  readonly limit: AccountLimit
}

interface At {
  readonly now: UnixSeconds
  readonly requestId: string
}

export async function createOwn(
  session: Session,
  wish: OwnWish,
  { now, requestId }: At,
  deps: OwnDeps,
): Promise<MadeToken | Refusal> {
  const refused = refuseStale(session, now)
  if (refused !== undefined) return refused
  const limited = deps.limit('hubToken', session.accountId)
  if (limited !== undefined) return limited
  return deps.directory.change(async (transaction) => {
    if (!(await isLive(transaction.tables, session, now))) return signedOut
    const rules = { now, policy: deps.policy }
    const plan = await planCreation(transaction.tables, session, { wish, ...rules })
    if (isRefusal(plan)) return plan
    return makePlanned(transaction, session, { plan, now, requestId, ...deps })
  })
}

/** A new secret for the same hub token: the old one ends at once, and the new one no later than the old. */
export async function rotateOwn(
  session: Session,
  id: HubTokenId,
  { now, requestId }: At,
  deps: OwnDeps,
): Promise<MadeToken | Refusal> {
  const refused = refuseStale(session, now) ?? deps.limit('hubToken', session.accountId)
  if (refused !== undefined) return refused
  return deps.directory.change(async (transaction) => {
    if (!(await isLive(transaction.tables, session, now))) return signedOut
    const rules = { now, policy: deps.policy }
    const plan = await planRotation(transaction.tables, session, { id, ...rules })
    if (isRefusal(plan)) return plan
    return makePlanned(transaction, session, { plan, now, requestId, ...deps })
  })
}

/** Ends one hub token or session of the account. */
export async function revokeOwn(
  self: Self,
  id: HubTokenId,
  { now, requestId }: At,
  { directory }: Pick<OwnDeps, 'directory'>,
): Promise<{ readonly id: HubTokenId; readonly name: string } | Refusal> {
  return directory.change(async ({ tables, putAs }) => {
    const owned = await ownedHubTokens(tables)
      .where('hub_tokens.id', '=', id)
      .where('hub_tokens.account_id', '=', self.accountId)
      .executeTakeFirst()
    if (owned === undefined) return noHubToken()
    if (owned.revoked_at === null) {
      await putAs(originOf(self, 'hub-token revoke', requestId))([revokeOwned(owned, now)])
    }
    return { id: owned.id, name: owned.name }
  })
}

/** A browser that was left open makes nothing that lasts. */
export function refuseStale(session: Session, now: UnixSeconds): Refusal | undefined {
  if (session.isFresh(now)) return undefined
  return refuse(
    'permission_denied',
    'This needs a sign-in of the last 15 minutes, by an identity provider or with an unrestricted hub token of kind write. Sign in again, and repeat this.',
  )
}

/** Another request, or an administrator, may have ended the session meanwhile. */
function isLive(tables: Reading, { accountId, hubTokenId }: Session, now: UnixSeconds) {
  return isSessionLive(tables, { accountId, sessionId: hubTokenId, now })
}

const signedOut = refuse(
  'permission_denied',
  'This session has ended. Sign in again, and repeat this.',
)
