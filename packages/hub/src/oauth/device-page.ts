/**
 * `/device`: a person types the code that a program shows, sees who asks for what, and approves or denies. A link with the
 * code in it fills the field in and does nothing else: only the form of a fresh session decides.
 */

import type { IncomingMessage } from 'node:http'
import {
  type AccountId,
  type Clock,
  formatTime,
  isRefusal,
  type Refusal,
  type Scope,
  type UnixSeconds,
} from '@latchkey/protocol'
import { type ClientAddress, networkOf } from '@latchkey/service/http/addresses'
import type { Call } from '@latchkey/service/http/call'
import { type Html, html } from '@latchkey/service/http/html'
import type { Reply, Route } from '@latchkey/service/http/routes'
import { keyedTurns } from '@latchkey/service/limits/turns'
import { parseUserCode, shownUserCode } from '../identity/device-credentials.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { AccountLimit } from '../sign-in/account-limits.ts'
import type { HubTokenPolicy, OwnPlan } from '../sign-in/own-plans.ts'
import { basePath, seeOther, signInPage } from '../sign-in/page-reply.ts'
import { readForm } from '../sign-in/read-form.ts'
import type { Session, SessionPort } from '../sign-in/session-port.ts'
import type { Directory } from '../tables/directory.ts'
import type { DeviceCodeRow } from '../tables/rows.ts'
import type { DeviceClients } from './clients.ts'
import { decideDeviceCode, findOpenCode } from './device-codes.ts'
import { planWish } from './hub-token-wish.ts'
import type { CodeEntry, OAuthLimits } from './oauth-limits.ts'

export interface DevicePageDeps {
  readonly directory: Directory
  readonly sessions: SessionPort
  readonly clients: DeviceClients
  readonly limits: OAuthLimits
  readonly policy: HubTokenPolicy
  readonly limit: AccountLimit
  readonly publicUrl: string
  readonly clientAddress: ClientAddress
  readonly clock: Clock
  readonly log: HubLog
}

export function devicePageRoutes(deps: DevicePageDeps): readonly Route[] {
  const inTurn = entryTurns()
  return [
    { method: 'GET', path: '/device', handle: ({ request }) => show(request, deps) },
    {
      method: 'POST',
      path: '/device',
      async handle(call) {
        const { request } = call
        const form = await readForm(request, deps.publicUrl)
        if (isRefusal(form)) return form
        const userCode = parseUserCode(form.get('user_code') ?? '')
        const session = await freshSession(request, deps, userCode)
        if ('body' in session) return session
        // Strangers do not get into a queue.
        const foreign = deps.sessions.checkPost(session, form, request)
        if (foreign !== undefined) return foreign
        const address = deps.clientAddress(request)
        const entry = { sessionId: session.hubTokenId, network: networkOf(address) }
        const decided = inTurn(entry, () =>
          decide(call, { form, userCode, session, entry, address }, deps),
        )
        return decided ?? entryPage(session, deps, { status: 429, wrong: tooManyAtOnce })
      },
    },
  ]
}

const maxOfSessionAtOnce = 5
const maxOfNetworkAtOnce = 50

/**
 * One entry after the other: of many at once, each would be judged before any counts. Sessions and networks do not wait
 * for each other. Undefined where too many wait already.
 */
function entryTurns() {
  const turns = keyedTurns<string>()
  return <Result>(
    { sessionId, network }: CodeEntry,
    work: () => Promise<Result>,
  ): Promise<Result> | undefined => {
    const [bySession, byNetwork] = [`session ${sessionId}`, `network ${network}`]
    if (turns.users(bySession) >= maxOfSessionAtOnce) return undefined
    if (turns.users(byNetwork) >= maxOfNetworkAtOnce) return undefined
    return turns.alone(bySession, () => turns.alone(byNetwork, work))
  }
}

const tooManyAtOnce = 'Too many codes were sent at once. Send them one after the other.'

async function show(request: IncomingMessage, deps: DevicePageDeps): Promise<Reply> {
  const query = new URLSearchParams(request.url?.split('?')[1] ?? '')
  const userCode = parseUserCode(query.get('user_code') ?? '')
  const session = await freshSession(request, deps, userCode)
  return 'body' in session ? session : entryPage(session, deps, { userCode })
}

/** A person without a fresh session signs in and comes back, with the code in the field. */
async function freshSession(
  request: IncomingMessage,
  { sessions, clock, publicUrl }: DevicePageDeps,
  userCode?: string,
): Promise<Session | Reply> {
  const query = userCode === undefined ? '' : `?user_code=${shownUserCode(userCode)}`
  const next = `${pathOf(publicUrl)}${query}`
  const session = await sessions.findSession(request)
  if (session === undefined) return seeOther(sessions.signInPath(next))
  return session.isFresh(clock()) ? session : seeOther(sessions.freshSignInPath(next))
}

interface Entered {
  readonly form: URLSearchParams
  readonly userCode: string | undefined
  readonly session: Session
  readonly entry: CodeEntry
  readonly address: string
}

async function decide(
  { requestId }: Call,
  { form, userCode, session, entry, address }: Entered,
  deps: DevicePageDeps,
): Promise<Reply | Refusal> {
  const startedAt = performance.now()
  const { directory, sessions, limits, limit, publicUrl, clock, log } = deps
  const now = clock()
  const waitMs = limits.entryWait(entry)
  if (waitMs > 0) return entryPage(session, deps, { status: 429, wrong: waitWords(waitMs) })
  const row =
    userCode === undefined
      ? undefined
      : await directory.readBeside((tables) => findOpenCode(tables, userCode, now))
  if (row === undefined) {
    limits.wrongEntry(entry)
    return entryPage(session, deps, { status: 400, wrong: noCode })
  }
  const plan = await planOf(row, session, now, deps)
  const decision = form.get('decision')
  const isApproved = decision === 'approve' && !isRefusal(plan)
  if (!isApproved && decision !== 'deny') return approvalPage({ row, plan, session }, deps)
  const limited = limit('deviceLogin', session.accountId)
  if (limited !== undefined) {
    return entryPage(session, deps, { status: 429, wrong: limited.detail })
  }
  const decided = await decideDeviceCode(deps, {
    ...{ userCode: row.user_code, isApproved, now },
    ...{ accountId: session.accountId, sessionId: session.hubTokenId },
    ...{ endsAt: session.makesUntil, maxScope: maxScopeOf(session) },
  })
  const milliseconds = Math.round((performance.now() - startedAt) * 1000) / 1000
  log('device_decided', {
    outcome: decided === 'decided' ? (isApproved ? 'approved' : 'denied') : decided,
    ...loggedSession(session),
    ...{ program: row.client_id, scope: row.scope, device: row.address },
    ...{ address, requestId, milliseconds },
  })
  if (decided === 'no code') return entryPage(session, deps, { status: 400, wrong: noCode })
  if (decided === 'no session') return seeOther(sessions.signInPath(pathOf(publicUrl)))
  return donePage(isApproved, row, session, deps)
}

/** The hub token that the program would get; undefined for the sign-in of a device. */
async function planOf(
  { wish }: DeviceCodeRow,
  session: Session,
  now: UnixSeconds,
  { directory, policy }: DevicePageDeps,
): Promise<OwnPlan | Refusal | undefined> {
  if (wish === null) return undefined
  return directory.readBeside((tables) => planWish(tables, wish, session, { now, policy }))
}

function loggedSession({ accountId, accountName, hubTokenId }: Session): {
  readonly subject: AccountId
  readonly account: string
  readonly hubToken: string
} {
  return { subject: accountId, account: accountName, hubToken: hubTokenId }
}

/** A sign-in with a hub token that only reads gives no more than that. */
function maxScopeOf({ kind }: Session): Scope {
  return kind === 'write' ? 'write' : 'read'
}

const noCode =
  'No program waits with this code. Compare it with the program, letter by letter; a code counts for ten minutes and once.'

function waitWords(waitMs: number): string {
  const minutes = Math.ceil(waitMs / 60_000)
  return `Too many wrong codes were entered. Try again in ${minutes} minutes.`
}

interface EntryPage {
  readonly userCode?: string | undefined
  readonly wrong?: string
  readonly status?: number
}

function entryPage(
  session: Session,
  { publicUrl }: DevicePageDeps,
  { userCode, wrong, status = 200 }: EntryPage,
): Reply {
  const complaint = wrong !== undefined && html`<p class="wrong" role="alert">${wrong}</p>\n`
  const value = userCode === undefined ? '' : shownUserCode(userCode)
  const main = html`<p>Type the code that the program shows. Continue only if you started this yourself.</p>
${complaint}<form method="post" action="${pathOf(publicUrl)}">
${csrfField(session)}<label for="user_code">Code</label>
<input id="user_code" name="user_code" value="${value}" required maxlength="16" autocomplete="off" autocapitalize="characters" spellcheck="false">
<button type="submit">Continue</button>
</form>
`
  return signInPage({ status, title: 'Sign in a program', main, session }, publicUrl)
}

interface Approval {
  readonly row: DeviceCodeRow
  readonly plan: OwnPlan | Refusal | undefined
  readonly session: Session
}

function approvalPage({ row, plan, session }: Approval, deps: DevicePageDeps): Reply {
  const { clients, publicUrl } = deps
  const scope = maxScopeOf(session) === 'read' ? 'read' : row.scope
  const refused = plan !== undefined && isRefusal(plan) ? plan : undefined
  const access =
    plan === undefined
      ? html`<dt>Access</dt><dd>${scopeWords[scope]}</dd>`
      : !isRefusal(plan) && planRows(plan)
  const main = html`<p><strong>Continue only if you started this yourself.</strong> Whoever runs the program gets ${plan === undefined ? 'your access' : 'this hub token'}. If somebody sent you the link or the code, deny.</p>
${refused && html`<p class="wrong" role="alert">${refused.detail}</p>\n`}<dl>
<dt>Program</dt><dd>${clients.get(row.client_id) ?? row.client_id}</dd>
<dt>Address</dt><dd>${row.address}</dd>
<dt>Started</dt><dd>${formatTime(row.created_at as UnixSeconds)}</dd>
<dt>Account</dt><dd>${session.accountName}</dd>
${access}
<dt>Code</dt><dd>${shownUserCode(row.user_code)}</dd>
</dl>
<form method="post" action="${pathOf(publicUrl)}">
${csrfField(session)}<input type="hidden" name="user_code" value="${row.user_code}">
${refused === undefined && html`<button type="submit" name="decision" value="approve">Approve</button>\n`}<button type="submit" name="decision" value="deny">Deny</button>
</form>
`
  const title = plan === undefined ? 'Sign in this program?' : 'Give this program a hub token?'
  return signInPage({ title, main, session }, publicUrl)
}

/** Shows all that the hub token will be, in the words of the commands. */
function planRows({ name, kind, grants, expiresAt, replaces }: OwnPlan): Html {
  const places = grants.map(
    ({ contents, on, refs }) =>
      html`<dd>${contents} ${on}${refs && ` at ${refs.join(', ')}`}</dd>\n`,
  )
  const reach = grants.length === 0 ? html`<dd>${kindWords[kind]}</dd>` : places
  return html`<dt>Hub token</dt><dd>${name}${replaces && ': a new secret; the old one ends at once'}</dd>
<dt>Kind</dt><dd>${kind}</dd>
<dt>Repositories</dt>${reach}
<dt>Ends</dt><dd>${expiresAt === undefined ? 'never' : formatTime(expiresAt)}</dd>`
}

const kindWords: Readonly<Record<OwnPlan['kind'], string>> = {
  read: 'every repository that the account may read',
  write: 'every repository that the account may read or write',
  'fine-grained': 'none',
}

const scopeWords: Readonly<Record<Scope, string>> = {
  read: 'read everything that the account may read',
  write: 'read and write everything that the account may',
}

function donePage(
  isApproved: boolean,
  { client_id, wish }: DeviceCodeRow,
  session: Session,
  { clients, publicUrl }: DevicePageDeps,
): Reply {
  const program = clients.get(client_id) ?? client_id
  const main = isApproved
    ? html`<p>The program ${program} ${wish === null ? 'is signed in as' : 'gets the hub token of'} <strong>${session.accountName}</strong> in a few seconds. You can close this page.</p>`
    : html`<p>The program ${program} gets nothing. You can close this page.</p>`
  const title = isApproved ? 'Approved' : 'Denied'
  return signInPage({ title, main, session }, publicUrl)
}

function csrfField({ csrfToken }: Session): Html {
  return html`<input type="hidden" name="csrf" value="${csrfToken}">\n`
}

/** Where a proxy adds a prefix, the address of the form has it too. */
function pathOf(publicUrl: string): string {
  return `${basePath(publicUrl)}/device`
}
