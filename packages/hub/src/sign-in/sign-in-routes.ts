/** The pages of people: sign in, sign out, and what they have made. No other route takes a session. */

import {
  type Clock,
  type HubTokenId,
  isPlainHttp,
  isRefusal,
  parseHubTokenId,
  type Refusal,
  refuse,
  statusOf,
  titleOf,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import type { Call } from '@latchkey/service/http/call'
import { type Html, html } from '@latchkey/service/http/html'
import type { Handle, Reply, Route } from '@latchkey/service/http/routes'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { credentialsOf } from '../http/identify.ts'
import type { Caller } from '../identity/caller.ts'
import { readSent } from '../identity/read-credential.ts'
import type { AuthenticateDeps } from '../issue/authenticate.ts'
import { authenticateCurrently } from '../issue/with-fresh-facts.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Directory } from '../tables/directory.ts'
import { noHubToken } from '../verbs/hub-token-view.ts'
import type { AccountLimit } from './account-limits.ts'
import { accountPage, madePage } from './account-page.ts'
import { openByHubToken } from './open-by-hub-token.ts'
import type { OpenedSession } from './open-session.ts'
import { createOwn, type OwnDeps, revokeOwn, rotateOwn } from './own-hub-tokens.ts'
import { type MadeToken, writtenGrants } from './own-plans.ts'
import { basePath, seeOther, signInPage, wayBack } from './page-reply.ts'
import { readForm } from './read-form.ts'
import { noSessionCookie, sessionCookie } from './session-cookie.ts'
import type { Session, SessionPort } from './session-port.ts'

export interface SignInDeps {
  readonly directory: Directory
  readonly sessions: SessionPort
  readonly own: OwnDeps
  readonly limit: AccountLimit
  /** For the hub token with which a person signs in: its failures count as everywhere. */
  readonly authenticating: AuthenticateDeps
  readonly clientAddress: ClientAddress
  readonly publicUrl: string
  readonly clock: Clock
  readonly log: HubLog
  readonly randomBytes: RandomBytes
  /** Identity providers in the order of their buttons: name and where the button leads. */
  readonly providers: readonly string[]
}

export function signInRoutes(deps: SignInDeps): readonly Route[] {
  // biome-ignore format: a table is read by its columns
  return [
    { method: 'GET',  path: '/login',                          handle: showLogin(deps) },
    { method: 'POST', path: '/login',                          handle: logIn(deps) },
    { method: 'POST', path: '/logout',                         handle: logOut(deps) },
    { method: 'GET',  path: '/account',                        handle: asPage(deps, (session) => accountPage(session, deps)) },
    { method: 'POST', path: '/account/hub-tokens',             handle: create(deps) },
    { method: 'POST', path: '/account/hub-tokens/{id}/rotate', handle: rotate(deps) },
    { method: 'POST', path: '/account/hub-tokens/{id}/revoke', handle: revoke(deps) },
  ]
}

/** Refusals are pages too. */
export function shown(
  result: Reply | Refusal,
  { publicUrl }: SignInDeps,
  session?: Session,
): Reply | Refusal {
  if (!isRefusal(result)) return result
  const status = statusOf[result.code]
  const title = titleOf[result.code]
  const main = html`<p class="wrong" role="alert">${result.detail}</p>
<p><a href="${basePath(publicUrl)}/account">Your account</a></p>
`
  return signInPage({ status, title, main, session }, publicUrl)
}

/** A page for a browser that is signed in; the others are led to the sign-in, and back. */
function asPage(
  deps: SignInDeps,
  show: (session: Session, call: Call) => Promise<Reply | Refusal>,
): Handle {
  return async (call) => {
    const { sessions, publicUrl } = deps
    const { session, clearCookie } = await sessions.findVisitor(call.request)
    if (session !== undefined) return shown(await show(session, call), deps, session)
    const path = `${basePath(publicUrl)}${(call.request.url ?? '').split('?')[0]}`
    return seeOther(sessions.signInPath(path), clearCookie)
  }
}

type Form = URLSearchParams

/** A form of a page of the session that comes with it. */
function asForm(
  deps: SignInDeps,
  work: (
    session: Session,
    form: Form,
    call: Call,
    id: HubTokenId | undefined,
  ) => Promise<Reply | Refusal>,
): Handle {
  return async (call, { id }) => {
    const form = await readForm(call.request, deps.publicUrl)
    if (isRefusal(form)) return shown(form, deps)
    const session = await deps.sessions.findSession(call.request)
    if (session === undefined)
      return seeOther(deps.sessions.signInPath(`${basePath(deps.publicUrl)}/account`))
    const refusal = deps.sessions.checkPost(session, form, call.request)
    const tokenId = id === undefined ? undefined : parseHubTokenId(id)
    return shown(refusal ?? (await work(session, form, call, tokenId)), deps, session)
  }
}

function showLogin(deps: SignInDeps): Handle {
  return async ({ request }) => {
    const query = new URL(request.url ?? '/', 'http://hub').searchParams
    const session = await deps.sessions.findSession(request)
    const isFresh = query.has('fresh')
    if (session !== undefined && !isFresh)
      return seeOther(wayBack(query.get('next'), deps.publicUrl))
    return shown(loginPage({ next: query.get('next'), isFresh, session }, deps), deps)
  }
}

interface LoginPage {
  readonly next: string | null
  readonly isFresh?: boolean
  readonly session?: Session | undefined
  readonly wrong?: string
  readonly status?: number
}

function loginPage(
  { next, isFresh = false, session, wrong, status }: LoginPage,
  deps: SignInDeps,
): Reply | Refusal {
  const { publicUrl, providers } = deps
  const insecure = refuseInsecure(publicUrl)
  if (insecure !== undefined) return insecure
  const complaint = wrong !== undefined && html`<p class="wrong" role="alert">${wrong}</p>\n`
  const again =
    isFresh &&
    html`<p class="note">You create and rotate hub tokens, and approve devices, within 15 minutes after a sign-in. Sign in once more.</p>\n`
  const main = html`${complaint}${again}${providers.length === 0 ? tokenForm(next, publicUrl) : buttons({ next, isFresh }, deps)}`
  return signInPage({ title: 'Sign in', main, session, ...(status && { status }) }, publicUrl)
}

function tokenForm(next: string | null, publicUrl: string): Html {
  const back = next !== null && html`<input type="hidden" name="next" value="${next}">\n`
  return html`<p>Paste a hub token of your account. The session has the same rights, and ends with the hub token.</p>
<form method="post" action="${basePath(publicUrl)}/login">
${back}<label for="token">Hub token</label>
<input id="token" name="token" type="password" required maxlength="512" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Sign in</button>
</form>
<p class="note">A session shows pages and takes their forms. Programs bring a hub token of their own.</p>
`
}

function buttons(
  { next, isFresh }: { readonly next: string | null; readonly isFresh: boolean },
  { publicUrl, providers }: SignInDeps,
): Html {
  const query = new URLSearchParams({
    ...(next !== null && { next }),
    ...(isFresh && { fresh: '1' }),
  })
  const lines = providers.map((name) => {
    const href = `${basePath(publicUrl)}/login/${encodeURIComponent(name)}?${query}`
    return html`<p><a class="button" href="${href}">Sign in with ${name}</a></p>\n`
  })
  return html`${lines}`
}

function logIn(deps: SignInDeps): Handle {
  return async (call) => {
    const { publicUrl, providers, clock } = deps
    const form = await readForm(call.request, publicUrl)
    if (isRefusal(form)) return shown(form, deps)
    const insecure = refuseInsecure(publicUrl) ?? (providers.length > 0 ? byProvider : undefined)
    if (insecure !== undefined) return shown(insecure, deps)
    const next = form.get('next')
    const token = (form.get('token') ?? '').trim()
    if (!/^[!-~]{1,512}$/.test(token)) {
      return shown(loginPage({ next, wrong: 'Paste a hub token.', status: 400 }, deps), deps)
    }
    const now = clock()
    const caller = await callerOf(token, call, { deps, now })
    if (isRefusal(caller)) {
      if (caller.code !== 'hub_token_invalid') return caller
      return shown(loginPage({ next, wrong: caller.detail, status: 401 }, deps), deps)
    }
    const opened = await openFor(caller, call, { deps, now })
    if (isRefusal(opened)) return shown(opened, deps)
    logSignIn(opened, call, deps)
    return seeOther(
      wayBack(next, publicUrl),
      sessionCookie(opened.secret, { ...opened, publicUrl }),
    )
  }
}

export function logSignIn(
  { account, hubTokenId }: OpenedSession,
  { request, requestId }: Call,
  { log, clientAddress }: Pick<SignInDeps, 'log' | 'clientAddress'>,
  provider?: string,
): void {
  const address = clientAddress(request)
  const who = { subject: account.id, account: account.name, hubToken: hubTokenId }
  log('signed_in', { ...who, provider, address, requestId })
}

const byProvider = refuse(
  'bad_request',
  'This hub takes sign-ins from its identity providers, and not with a hub token. Open /login, and choose a provider.',
)

interface Attempt {
  readonly deps: SignInDeps
  readonly now: UnixSeconds
}

async function callerOf(
  token: string,
  { request }: Call,
  { deps, now }: Attempt,
): Promise<Caller | Refusal> {
  const sent = readSent([`Bearer ${token}`])
  const credentials = { ...credentialsOf(request, deps.clientAddress, now), sent }
  const about = { repo: undefined, revision: { kind: 'default' } } as const
  const named = { ...deps.authenticating, admitsAnonymous: false }
  const { result } = await authenticateCurrently({ ...credentials, about }, named)
  return isRefusal(result) ? result : result.caller
}

/** Content and no administration: a session is for pages that show what the account may see. */
const kindsOfSession: readonly string[] = ['read', 'write', 'fine-grained']

async function openFor(caller: Caller, { request, requestId }: Call, { deps, now }: Attempt) {
  const { kind, accountId, hubTokenId } = caller
  if (!kindsOfSession.includes(kind)) return notForPeople
  const limited = deps.limit('session', accountId)
  if (limited !== undefined) return limited
  const before = await deps.sessions.findSession(request)
  const wish = { hubTokenId, before: before?.hubTokenId }
  return openByHubToken(deps, wish, { now, requestId })
}

const notForPeople = refuse(
  'permission_denied',
  'Admin and storage hub tokens open no session. Sign in with a hub token of kind read, write or fine-grained.',
)

/** A cookie that anybody on the way can read is no secret. */
export function refuseInsecure(publicUrl: string): Refusal | undefined {
  if (!isPlainHttp(publicUrl)) return undefined
  return refuse(
    'bad_request',
    'People sign in over HTTPS, and this hub has a public address with http. Put a proxy with TLS before it, and set --public-url.',
  )
}

function logOut(deps: SignInDeps): Handle {
  return asForm(deps, async (session, _, { requestId }) => {
    const ended = await revokeOwn(
      session,
      session.hubTokenId,
      { now: deps.clock(), requestId },
      deps,
    )
    if (isRefusal(ended)) return ended
    return seeOther(`${basePath(deps.publicUrl)}/login`, noSessionCookie(deps.publicUrl))
  })
}

function create(deps: SignInDeps): Handle {
  return asForm(deps, async (session, form, { requestId }) => {
    const text = (name: string) => form.get(name)?.trim() ?? ''
    const kind = text('kind')
    const scope = { contents: text('contents'), refs: text('refs') }
    const grants = kind === 'fine-grained' ? writtenGrants(text('repositories'), scope) : undefined
    if (isRefusal(grants)) return grants
    const days = readDays(text('days'))
    if (isRefusal(days)) return days
    const now = deps.clock()
    const expiresAt = days === undefined ? undefined : unixSeconds(now + days * 86_400)
    const wish = { name: text('name'), kind, expiresAt, grants }
    const made = await createOwn(session, wish, { now, requestId }, deps.own)
    return showMade(made, session, deps)
  })
}

function readDays(text: string): number | undefined | Refusal {
  if (text === '') return undefined
  const days = Number(text)
  if (/^\d{1,5}$/.test(text) && days > 0) return days
  return refuse('bad_request', 'The life of a hub token is a whole number of days.', {
    path: 'days',
  })
}

function rotate(deps: SignInDeps): Handle {
  return asForm(deps, async (session, _, { requestId }, id) => {
    if (id === undefined) return noHubToken()
    const at = { now: deps.clock(), requestId }
    return showMade(await rotateOwn(session, id, at, deps.own), session, deps)
  })
}

function showMade(
  made: MadeToken | Refusal,
  session: Session,
  { publicUrl }: SignInDeps,
): Reply | Refusal {
  return isRefusal(made) ? made : madePage(made, session, publicUrl)
}

function revoke(deps: SignInDeps): Handle {
  return asForm(deps, async (session, _, { requestId }, id) => {
    if (id === undefined) return noHubToken()
    const ended = await revokeOwn(session, id, { now: deps.clock(), requestId }, deps)
    if (isRefusal(ended)) return ended
    const isOwn = id === session.hubTokenId
    return seeOther(
      `${basePath(deps.publicUrl)}/${isOwn ? 'login' : 'account'}`,
      isOwn ? noSessionCookie(deps.publicUrl) : [],
    )
  })
}
