/** Sessions as pages use them: whose request it is, and whether a form comes from a page of that session. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  type AccountId,
  type Clock,
  type HubTokenId,
  type HubTokenKind,
  type Refusal,
  refuse,
  type Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import { isFromOwnPage } from '@latchkey/service/http/same-origin'
import { hashHubToken } from '../identity/hub-token.ts'
import type { Directory, Reading } from '../tables/directory.ts'
import { noSessionCookie, readSession } from './session-cookie.ts'

/** A person who is signed in, as the request of a browser shows it. */
export interface Session {
  /** The id of the session itself. */
  readonly hubTokenId: HubTokenId
  readonly accountId: AccountId
  readonly accountName: string
  readonly administrator: boolean
  readonly kind: HubTokenKind
  /** Opened with a hub token, which may have leaked, and not by an identity provider. */
  readonly isFromHubToken: boolean
  /** Stands in every form as `csrf`. */
  readonly csrfToken: string
  /** Hub tokens and families that are made from the session end no later; undefined without a limit. */
  readonly makesUntil: UnixSeconds | undefined
  /** Whether it may create and rotate hub tokens and approve devices. */
  isFresh(now: UnixSeconds): boolean
}

export interface SessionPort {
  /** Undefined for a request without a session that is valid now. */
  findSession(request: IncomingMessage): Promise<Session | undefined>
  /** The same with the session's secret, and with the headers that remove the cookie of an ended session. */
  findVisitor(request: IncomingMessage): Promise<Visitor>
  /** Refuses a form that no page of this session has sent. */
  checkPost(
    session: Pick<Session, 'csrfToken'>,
    form: URLSearchParams,
    request: IncomingMessage,
  ): Refusal | undefined
  /** Where to send a browser to sign in. `next` is a path of the hub. */
  signInPath(next: string): string
  /** The same for a session that is not fresh any more. */
  freshSignInPath(next: string): string
}

export interface Visitor {
  readonly session: Session | undefined
  readonly secret: Secret<'hub-token'> | undefined
  readonly clearCookie: readonly string[]
}

export interface SessionDeps {
  readonly directory: Pick<Directory, 'readBeside' | 'note'>
  readonly publicUrl: string
  readonly clock: Clock
}

/** Without a request for so long, a session ends. */
export const idleSeconds = 8 * 3600
/** However often it is used. */
export const absoluteSeconds = 7 * 24 * 3600
/** The last request of a session is written down at most so often. */
const seenIntervalSeconds = 5 * 60

export function sessionPort({ directory, publicUrl, clock }: SessionDeps): SessionPort {
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  const find = async (secret: Secret<'hub-token'>): Promise<Session | undefined> => {
    const now = clock()
    const row = await directory.readBeside((tables) =>
      sessionRows(tables)
        .where('hub_tokens.secret_hash', '=', hashHubToken(secret))
        .executeTakeFirst(),
    )
    if (row === undefined || !isLive(row, now)) return undefined
    if (row.last_seen_at <= now - seenIntervalSeconds) await noteSeen(directory, row.id, now)
    return {
      hubTokenId: row.id,
      accountId: row.account_id,
      accountName: row.account,
      administrator: row.administrator === 1,
      kind: row.kind as HubTokenKind,
      isFromHubToken: row.maker_id !== null,
      csrfToken: csrfTokenOf(secret),
      makesUntil: row.makes_until === null ? undefined : (row.makes_until as UnixSeconds),
      isFresh: (at) => row.fresh_until !== null && at < row.fresh_until,
    }
  }
  const findVisitor = async (request: IncomingMessage): Promise<Visitor> => {
    const secret = readSession(request, publicUrl)
    const session = secret && (await find(secret))
    const isOver = secret !== undefined && session === undefined
    return { session, secret, clearCookie: isOver ? noSessionCookie(publicUrl) : [] }
  }
  return {
    findVisitor,
    findSession: async (request) => (await findVisitor(request)).session,
    checkPost({ csrfToken }, form, request) {
      if (!isFromOwnPage(request, publicUrl)) return foreignForm
      const sent = form.getAll('csrf')
      return sent.length === 1 && isSame(sent[0] ?? '', csrfToken) ? undefined : staleForm
    },
    signInPath: (next) => `${base}/login?next=${encodeURIComponent(next)}`,
    freshSignInPath: (next) => `${base}/login?fresh=1&next=${encodeURIComponent(next)}`,
  }
}

/** A form that no page of the hub has sent: without a session there is nothing else to check. */
export const foreignForm = refuse(
  'bad_request',
  'The hub takes forms from its own pages alone. Open the page on this hub, and send the form there.',
)

const staleForm = refuse(
  'bad_request',
  'This form belongs to another sign-in. Load the page again, and send the form once more.',
)

interface SessionState {
  readonly id: HubTokenId
  readonly disabled: number
  readonly revoked_at: number | null
  readonly expires_at: number | null
  readonly last_seen_at: number
  readonly maker_id: HubTokenId | null
  readonly maker_revoked_at: number | null
  readonly maker_expires_at: number | null
  readonly found_maker_id: HubTokenId | null
}

/** A session from a hub token ends with that token. */
function isLive(row: SessionState, now: UnixSeconds): boolean {
  const isEnded = (at: number | null) => at !== null && at <= now
  if (row.disabled === 1 || row.revoked_at !== null || isEnded(row.expires_at)) return false
  if (row.last_seen_at <= now - idleSeconds) return false
  if (row.maker_id === null) return true
  const isMakerThere = row.found_maker_id !== null && row.maker_revoked_at === null
  return isMakerThere && !isEnded(row.maker_expires_at)
}

/** Asked in the transaction of a change: a session that has ended since its page was loaded changes nothing. */
export async function isSessionFresh(
  tables: Reading,
  id: HubTokenId,
  now: UnixSeconds,
): Promise<boolean> {
  const row = await sessionRows(tables).where('hub_tokens.id', '=', id).executeTakeFirst()
  if (row === undefined || !isLive(row, now)) return false
  return row.fresh_until !== null && now < row.fresh_until
}

function sessionRows(tables: Reading) {
  return tables
    .selectFrom('hub_tokens')
    .innerJoin('sessions', 'sessions.hub_token_id', 'hub_tokens.id')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .leftJoin('hub_tokens as maker', 'maker.id', 'sessions.maker_id')
    .select([
      ...(['hub_tokens.id', 'hub_tokens.account_id', 'hub_tokens.kind'] as const),
      ...(['hub_tokens.revoked_at', 'hub_tokens.expires_at'] as const),
      ...(['sessions.maker_id', 'sessions.fresh_until', 'sessions.makes_until'] as const),
      'sessions.last_seen_at',
      ...(['accounts.name as account', 'accounts.administrator', 'accounts.disabled'] as const),
      'maker.id as found_maker_id',
      'maker.revoked_at as maker_revoked_at',
      'maker.expires_at as maker_expires_at',
    ])
    .where('hub_tokens.origin', '=', 'session')
}

async function noteSeen(
  { note }: Pick<Directory, 'note'>,
  id: HubTokenId,
  now: UnixSeconds,
): Promise<void> {
  await note('session seen', async ({ tables }) => {
    await tables
      .updateTable('sessions')
      .set({ last_seen_at: now })
      .where('hub_token_id', '=', id)
      .where('last_seen_at', '<', now)
      .execute()
  })
}

/** Bound to the session by its secret, so that nothing more is stored. */
function csrfTokenOf(secret: Secret<'hub-token'>): string {
  return createHmac('sha256', secret.reveal()).update('forms of this session').digest('base64url')
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
