/**
 * `/account/namespaces/…`: administrators of a namespace manage it in a browser. Each form runs one verb as they would run
 * it with an admin hub token of that namespace: the closed list and the checks in its transaction are the same.
 */

import { readInput, type Verb } from '@latchkey/admin-api'
import { type Clock, isRefusal, type Refusal, refuse, statusOf, titleOf } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import type { Call } from '@latchkey/service/http/call'
import { html } from '@latchkey/service/http/html'
import type { Handle, RawValues, Reply, Route } from '@latchkey/service/http/routes'
import type { VerbMembers } from '../admin/read-request.ts'
import type { Caller } from '../identity/caller.ts'
import { type AdminCall, actorOf, endOf, targetOf } from '../operations/admin-call.ts'
import { runVerb } from '../run-verb/run-verb.ts'
import type { VerbWork } from '../run-verb/verb-deps.ts'
import type { NamespaceLimit } from '../sign-in/account-limits.ts'
import { refuseStale } from '../sign-in/own-hub-tokens.ts'
import { basePath, seeOther, signInPage } from '../sign-in/page-reply.ts'
import { readForm } from '../sign-in/read-form.ts'
import { isSessionFresh, type Session, type SessionPort } from '../sign-in/session-port.ts'
import { delegatedGroups } from '../verbs/delegation.ts'
import { sectionHtml } from './place-page.ts'
import { changesOf, isEnd, type PageRow, places, verbCalled } from './places.ts'
import { inputIn } from './verb-form.ts'

export interface NamespaceDeps {
  readonly work: VerbWork
  readonly sessions: SessionPort
  readonly publicUrl: string
  readonly clock: Clock
  readonly clientAddress: ClientAddress
  readonly limitChanges: NamespaceLimit
  logAdminCall(call: AdminCall): void
}

const root = '/account/namespaces'

export function namespaceRoutes(deps: NamespaceDeps): readonly Route[] {
  return places.flatMap((place): Route[] => {
    const path = `${root}/${place.path}`
    return [
      { method: 'GET', path, handle: onPlace(place, deps, show) },
      { method: 'POST', path, handle: onPlace(place, deps, change) },
    ]
  })
}

/** A request for a page of a namespace. */
interface Visit {
  readonly place: PageRow
  readonly call: Call
  readonly members: VerbMembers
  readonly namespacePath: string
  /** The address of the page itself. */
  readonly path: string
}

type Work = (visit: Visit, deps: NamespaceDeps) => Promise<Reply | Refusal>

function onPlace(place: PageRow, deps: NamespaceDeps, work: Work): Handle {
  return async (call, values) => {
    const segments = decoded(values)
    return segments === undefined ? noPage : work(visitOf(place, call, segments, deps), deps)
  }
}

const noPage = refuse('not_found', 'The hub has no page here. Open /account.')

/** Undefined when a segment cannot be decoded. */
function decoded(values: RawValues): VerbMembers | undefined {
  try {
    const entries = Object.entries(values).map(([name, raw]) => [name, decodeURIComponent(raw)])
    return Object.fromEntries(entries)
  } catch {
    return undefined
  }
}

function visitOf(
  place: PageRow,
  call: Call,
  { namespace = '', team = '', type = '', name = '' }: VerbMembers,
  { publicUrl }: NamespaceDeps,
): Visit {
  const { member } = place
  const own = {
    namespace: {},
    team: { team },
    repository: { repository: `${type}/${namespace}/${name}` },
  }
  const below = { namespace: [], team: ['teams', team], repository: ['repositories', type, name] }
  const namespacePath = `${basePath(publicUrl)}${root}/${encodeURIComponent(namespace)}`
  const path = [namespacePath, ...below[member].map(encodeURIComponent)].join('/')
  return { place, call, members: { namespace, ...own[member] }, namespacePath, path }
}

async function show(visit: Visit, deps: NamespaceDeps): Promise<Reply | Refusal> {
  const session = await managingSession(visit, deps)
  if ('body' in session) return session
  const { call, place, path, namespacePath, members } = visit
  const query = (call.request.url ?? '').split('?')[1] ?? ''
  const view = {
    ...{ action: path, csrfToken: session.csrfToken, members, namespacePath },
    after: Object.fromEntries(new URLSearchParams(query)),
    list: async (words: string, input: VerbMembers) => {
      const verb = places
        .flatMap(({ sections }) => sections)
        .find(({ list }) => list === words)?.list
      return verb === undefined ? noPage : run({ visit, session, deps }, verbCalled(verb), input)
    },
  }
  const parts = []
  for (const section of place.sections) {
    const part = await sectionHtml(section, view)
    if (isRefusal(part)) return shown(part, { visit, session, deps })
    parts.push(part)
  }
  const name = members[place.member] ?? ''
  const back =
    place.member === 'namespace'
      ? html`<a href="${basePath(deps.publicUrl)}/account">Your account</a>`
      : html`<a href="${namespacePath}">${members['namespace']}</a>`
  return signInPage({ title: name, main: html`<p>${back}</p>\n${parts}`, session }, deps.publicUrl)
}

/**
 * Security boundary: pages of administrators need a new sign-in by a provider, also to look. A leaked hub token of kind
 * `write` opens a session too, and must not manage a namespace with it.
 */
async function managingSession(visit: Visit, deps: NamespaceDeps): Promise<Session | Reply> {
  const { call, path } = visit
  const { sessions, clock } = deps
  const session = await sessions.findSession(call.request)
  if (session === undefined) return seeOther(sessions.signInPath(path))
  if (session.isFromHubToken) return shown(notByHubToken, { visit, session, deps })
  return session.isFresh(clock()) ? session : seeOther(sessions.freshSignInPath(path))
}

const notByHubToken = refuse(
  'permission_denied',
  'You signed in with a hub token, and such a session does not manage a namespace. Use the command latchkey with an admin hub token of the namespace, or sign in at a provider.',
)

async function change(visit: Visit, deps: NamespaceDeps): Promise<Reply | Refusal> {
  const { call, place, members, path, namespacePath } = visit
  const form = await readForm(call.request, deps.publicUrl)
  if (isRefusal(form)) return form
  const session = await managingSession(visit, deps)
  if ('body' in session) return session
  const at = { visit, session, deps }
  const foreign = deps.sessions.checkPost(session, form, call.request)
  if (foreign !== undefined) return shown(foreign, at)
  const words = changesOf(place).find((one) => one === form.get('verb'))
  if (words === undefined) return shown(noForm, at)
  const verb = verbCalled(words)
  const ends = isEnd(place, words)
  if (ends && form.get(place.member)?.trim() !== members[place.member]) return shown(notTyped, at)
  const tooMany = deps.limitChanges(session.hubTokenId)
  if (tooMany !== undefined) return shown(tooMany, at)
  const result = await run(at, verb, inputIn(verb, form, ownMembers(verb, members)))
  if (isRefusal(result)) return shown(result, at)
  return seeOther(ends ? namespacePath : path)
}

const noForm = refuse('bad_request', 'This page has no such form. Load the page again.')
const notTyped = refuse(
  'bad_request',
  'To delete it, type the name exactly as the heading of the page has it.',
)

/** The members that the verb takes: one about a repository takes no namespace. */
function ownMembers({ input }: Verb, members: VerbMembers): VerbMembers {
  return Object.fromEntries(
    Object.entries(members).filter(([member]) => Object.hasOwn(input.shape, member)),
  )
}

interface At {
  readonly visit: Visit
  readonly session: Session
  readonly deps: NamespaceDeps
}

/**
 * Security boundary: the actor manages this namespace alone, by the role of the account there. That the account is an
 * administrator of the hub gives a session nothing.
 */
function actorFor({ accountId, accountName, hubTokenId }: Session, namespace: string): Caller {
  return {
    ...{ accountId, accountName, hubTokenId, administrator: false, grants: [] },
    ...{ kind: 'admin', origin: 'session', adminScopes: delegatedGroups, namespaces: [namespace] },
  }
}

async function run(
  { visit, session, deps }: At,
  verb: Verb,
  typed: ReturnType<typeof inputIn>,
): Promise<unknown> {
  const startedAt = performance.now()
  const { clock, work, clientAddress } = deps
  const { call, members } = visit
  const actor = actorFor(session, members['namespace'] ?? '')
  const input = readInput(verb.input, typed)
  const result = isRefusal(input)
    ? input
    : await runVerb(verb, input, {
        ...{ ...work, now: clock(), requestId: call.requestId, actor: async () => actor },
        first: async ({ tables, now }) =>
          (await isSessionFresh(tables, session.hubTokenId, now))
            ? undefined
            : refuseStale({ ...session, isFresh: () => false }, now),
      })
  deps.logAdminCall({
    ...{ verb: verb.words, actor: actorOf(actor), target: targetOf(typed, result) },
    ...{ ...endOf(result), address: clientAddress(call.request), requestId: call.requestId },
    milliseconds: Math.round((performance.now() - startedAt) * 1000) / 1000,
  })
  return result
}

function shown({ code, detail }: Refusal, { visit, session, deps }: At): Reply {
  const main = html`<p class="wrong" role="alert">${detail}</p>
<p><a href="${visit.path}">Back</a></p>
`
  const page = { status: statusOf[code], title: titleOf[code], main, session }
  return signInPage(page, deps.publicUrl)
}
