/** `/login/{provider}` and the way back from the provider. */

import { randomBytes } from 'node:crypto'
import { isRefusal, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/addresses'
import type { Call } from '@latchkey/service/http/call'
import type { Handle, Reply, Route } from '@latchkey/service/http/routes'
import { type Limiter, tooMany } from '@latchkey/service/limits/rate-limiter'
import { findAccountOf, unmetCondition } from './find-account.ts'
import type { Identity, Provider, Providers } from './open-providers.ts'
import { freshUntil, openSession } from './open-session.ts'
import { seeOther, wayBack } from './page-reply.ts'
import { noteSignIn, type RenewalDeps } from './renew-memberships.ts'
import { type Attempt, attemptSeconds, openAttempt, sealAttempt } from './sealed-attempt.ts'
import { cookieName, readCookie, sessionCookie, setCookie } from './session-cookie.ts'
import { logSignIn, refuseInsecure, type SignInDeps, shown } from './sign-in-routes.ts'

export interface ProviderDeps extends SignInDeps, Pick<RenewalDeps, 'masterKey' | 'maxAgeSeconds'> {
  readonly configured: Providers
  /** For a network: each attempt makes the hub ask the provider. */
  readonly attempts: Limiter
}

export const attemptsPerMinute = 120

export function providerRoutes(deps: ProviderDeps): readonly Route[] {
  const states = usedStates()
  return [
    { method: 'GET', path: '/login/{provider}', handle: start(deps) },
    { method: 'GET', path: '/login/{provider}/callback', handle: comeBack(deps, states) },
  ]
}

const word = 'latchkey-sign-in'

function start(deps: ProviderDeps): Handle {
  return async ({ request }, { provider: name = '' }) => {
    const provider = deps.configured.get(name)
    const refusal = provider === undefined ? noProvider : refuseInsecure(deps.publicUrl)
    if (provider === undefined || refusal !== undefined) return shown(refusal ?? noProvider, deps)
    const limited = refuseMany(request, 'start', deps)
    if (limited !== undefined) return shown(limited, deps)
    const query = new URL(request.url ?? '/', 'http://hub').searchParams
    const random = () => randomBytes(32).toString('base64url')
    const attempt: Attempt = {
      ...{ provider: name, state: random(), nonce: random(), verifier: random() },
      next: query.get('next'),
      isFresh: query.has('fresh'),
      startedAt: deps.clock(),
    }
    const location = await provider.authorize(attempt, redirectUri(name, deps))
    if (isRefusal(location)) return refused(location, { deps, name, request })
    const sealed = sealAttempt(attempt, provider.settings.clientSecret)
    return seeOther(location, attemptCookie(sealed, attemptSeconds, deps))
  }
}

/** A stranger may begin, and come back with a code that nobody gave. */
function refuseMany(
  request: Call['request'],
  way: 'start' | 'return',
  { attempts, clientAddress }: ProviderDeps,
): Refusal | undefined {
  const waitMs = attempts.take(`${way} ${networkOf(clientAddress(request))}`)
  return tooMany(waitMs, 'Too many sign-ins came from this address.')
}

const noProvider = refuse(
  'not_found',
  'This hub has no identity provider of this name. Open /login, and choose one.',
)

function redirectUri(name: string, { publicUrl }: ProviderDeps): string {
  return `${publicUrl}/login/${encodeURIComponent(name)}/callback`
}

function attemptCookie(value: string, seconds: number, { publicUrl }: ProviderDeps) {
  return setCookie(cookieName(word, publicUrl), value, { seconds, publicUrl })
}

function comeBack(deps: ProviderDeps, states: UsedStates): Handle {
  return async (call, { provider: name = '' }) => {
    const { clock, publicUrl, configured } = deps
    const provider = configured.get(name)
    if (provider === undefined) return shown(noProvider, deps)
    const now = clock()
    const at = { deps, name, request: call.request }
    const sealed = readCookie(call.request, cookieName(word, publicUrl))
    const by = provider.settings.clientSecret
    const attempt = sealed && openAttempt(sealed, { by, provider: name, now })
    if (!attempt) return refused(otherBrowser, at)
    // Before the state counts as used: this browser may come again.
    const limited = refuseMany(call.request, 'return', deps) ?? states.refuseFull(now)
    if (limited !== undefined) return shown(limited, deps)
    if (!states.take(attempt.state, now)) return refused(otherBrowser, at)
    const returned = new URL(redirectUri(name, deps))
    returned.search = new URL(call.request.url ?? '/', 'http://hub').search
    const identity = await provider.redeem(attempt, returned)
    if (isRefusal(identity)) return refused(identity, at)
    return signIn(identity, { provider, attempt, call, now, deps })
  }
}

const otherBrowser = refuse(
  'bad_request',
  'This browser has no sign-in in progress: it took more than 10 minutes, was finished already, or began elsewhere. Start again at /login.',
  { reason: 'no sign-in in progress' },
)

interface Returned {
  readonly provider: Provider
  readonly attempt: Attempt
  readonly call: Call
  readonly now: UnixSeconds
  readonly deps: ProviderDeps
}

async function signIn(
  identity: Identity,
  { provider, attempt, call, now, deps }: Returned,
): Promise<Reply | Refusal> {
  const { settings } = provider
  const at = { deps, name: settings.name, request: call.request, identity }
  const unmet = unmetCondition(identity, settings)
  if (unmet !== undefined) return refused(notAllowed(settings.name, unmet), at)
  const before = await deps.sessions.findSession(call.request)
  const { requestId } = call
  const opened = await openSession(deps, { now, requestId }, async (transaction) => {
    const { tables, putAs } = transaction
    const { randomBytes } = deps
    const found = await findAccountOf(tables, { identity, provider: settings, now, randomBytes })
    if (isRefusal(found)) return found
    const limited = deps.limit('session', found.account.id)
    if (limited !== undefined) return limited
    const origin = { verb: 'sign-in', requestId }
    await putAs(origin)(found.changes)
    const { account } = found
    await noteSignIn(transaction, { identity, account, provider: settings, now, origin }, deps)
    return {
      account: found.account,
      ...{ kind: 'write', grants: '[]', by: { provider: settings.name } },
      authTime: identity.authTime ?? null,
      freshUntil: attempt.isFresh ? freshUntil(identity, now) : null,
      before: before?.hubTokenId,
    }
  })
  if (isRefusal(opened)) return refused(opened, at)
  logSignIn(opened, call, deps, settings.name)
  const { publicUrl } = deps
  const ended = attemptCookie('', 0, deps)
  return seeOther(wayBack(attempt.next, publicUrl), [
    ...sessionCookie(opened.secret, { ...opened, publicUrl }),
    ...ended,
  ])
}

function notAllowed(name: string, reason: string): Refusal {
  return refuse(
    'permission_denied',
    `The identity provider "${name}" knows you, and you may not use this hub: ${reason}. Ask an administrator of this hub who may.`,
    { reason },
  )
}

interface At {
  readonly deps: ProviderDeps
  readonly name: string
  readonly request: Call['request']
  readonly identity?: Identity
}

/** The cookie ends with its attempt. The log says why; the page says what the person can do. */
function refused(refusal: Refusal, { deps, name, request, identity }: At): Reply | Refusal {
  const { log, clientAddress } = deps
  log('sign_in_refused', {
    ...{ provider: name, issuer: identity?.issuer, identity: identity?.subject },
    ...{ reason: refusal.reason ?? refusal.code, address: clientAddress(request) },
  })
  const page = shown(refusal, deps)
  if (isRefusal(page)) return page
  return { ...page, headers: [...(page.headers ?? []), ...attemptCookie('', 0, deps)] }
}

interface UsedStates {
  /** While nothing more can be remembered. */
  refuseFull(now: UnixSeconds): Refusal | undefined
  /** False for a state that was taken before. */
  take(state: string, now: UnixSeconds): boolean
}

/** The limit of a network allows 1320 in that time. */
const maxStates = 200_000

const full = refuse('rate_limited', 'Too many people sign in at this moment. Try again in 60 s.', {
  retryAfterSeconds: 60,
})

/** Each for as long as its attempt counts. The code of the provider is for one use as well, so hubs need not share this. */
export function usedStates(most = maxStates): UsedStates {
  const used = new Map<string, UnixSeconds>()
  const forgetOld = (now: UnixSeconds) => {
    for (const [one, at] of used) {
      if (at + attemptSeconds > now) break
      used.delete(one)
    }
  }
  return {
    refuseFull(now) {
      forgetOld(now)
      return used.size < most ? undefined : full
    },
    take(state, now) {
      forgetOld(now)
      if (used.has(state)) return false
      used.set(state, now)
      return true
    },
  }
}
