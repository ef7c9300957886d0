/** Serves every verb of the directory under /admin/v1. */

import type { IncomingMessage } from 'node:http'
import {
  adminPrefix,
  memberNames,
  pathTemplate,
  segmentsOf,
  statusWhenDone,
  type Verb,
  verbs,
} from '@latchkey/admin-api'
import { type Clock, isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { readJsonBody } from '@latchkey/service/http/bodies'
import { type Call, serveLogged } from '@latchkey/service/http/call'
import type { RawValues, Reply, Route } from '@latchkey/service/http/routes'
import type { Shares } from '@latchkey/service/limits/shares'
import type { z } from 'zod'
import type { Caller } from '../identity/caller.ts'
import type { Outcome } from '../issue/authenticate.ts'
import { type JournalWatch, longPoll } from '../journal/journal-watch.ts'
import { type AdminCall, actorOf, changesIn, endOf, targetOf } from '../operations/admin-call.ts'
import { runVerb } from '../run-verb/run-verb.ts'
import type { NamespaceLimit } from '../sign-in/account-limits.ts'
import type { Directory } from '../tables/directory.ts'
import { mayUse } from '../verbs/administrators.ts'
import { isDelegated } from '../verbs/delegation.ts'
import type { Looking } from '../verbs/does.ts'
import { bodyLimitOf, bodyRoom, type TakeBodyRoom } from './body-limits.ts'
import { readRequest, type VerbMembers, type VerbRequest } from './read-request.ts'

export interface AdminDeps
  extends Pick<
    Looking,
    | 'randomBytes'
    | 'hubTokenPrefix'
    | 'findRepository'
    | 'policy'
    | 'keys'
    | 'verifyOwnToken'
    | 'providers'
    | 'repositoriesPerNamespace'
  > {
  readonly directory: Directory
  /** For verbs that wait for a change. */
  readonly watch: JournalWatch
  readonly clock: Clock
  readonly clientAddress: ClientAddress
  /** Whose hub token the request carries, or why it counts for nothing. */
  identify(request: IncomingMessage): Promise<Outcome<Caller>>
  /** For administrators of a namespace. */
  readonly limitChanges: NamespaceLimit
  /** In bytes: what bodies of requests may hold in memory. */
  readonly bodyRoom: Shares
  logAdminCall(call: AdminCall): void
}

export function adminRoutes(deps: AdminDeps): readonly Route[] {
  const takeRoom = bodyRoom(deps.bodyRoom)
  const rows = verbs.map(
    (verb): Route => ({
      method: verb.method,
      path: pathTemplate(verb),
      wrongMethod: (allow) => `This method does nothing at this path. Allowed are ${allow}.`,
      handle(call, values) {
        const members = membersInPath(verb, values)
        return members === undefined ? noVerb : serveVerb(call, { verb, members }, deps, takeRoom)
      },
    }),
  )
  return [...rows, { method: 'ANY', path: `${adminPrefix}/{rest...}`, handle: () => noVerb }]
}

/** Undefined when the segments cannot be decoded. */
function membersInPath(verb: Verb, values: RawValues): VerbMembers | undefined {
  const textOf = (member: string) =>
    segmentsOf(member)
      .map((name) => values[name])
      .join('/')
  try {
    return Object.fromEntries(
      memberNames(verb).map((member) => [member, decodeURIComponent(textOf(member))]),
    )
  } catch {
    return undefined
  }
}

const noVerb = refuse(
  'not_found',
  'The admin API serves nothing at this path. /openapi.json lists what there is.',
)

async function serveVerb(
  call: Call,
  { verb, members }: VerbRequest,
  deps: AdminDeps,
  takeRoom: TakeBodyRoom,
): Promise<Reply | Refusal> {
  let target: object = members
  const result = await serveLogged(call, {
    ...deps,
    async work(caller: Caller) {
      const refused = admit(caller, verb) ?? limitOf(caller, verb, deps)
      const room = refused ?? (await takeRoom(call, caller))
      if (isRefusal(room)) return room
      try {
        const body = await readJsonBody(call.request, { ...bodyLimitOf(verb), take: room.take })
        if (isRefusal(body)) return body
        const input = await readRequest({ verb, members }, { target: call.request.url ?? '', body })
        if (isRefusal(input)) return input
        target = input
        return await act(deps, { verb, caller, call, input })
      } finally {
        room.release()
      }
    },
    log(result, caller, end) {
      const changes = changesIn(result)
      deps.logAdminCall({
        verb: verb.words,
        actor: caller === undefined ? {} : actorOf(caller),
        target: targetOf(target, result),
        ...endOf(result),
        ...(changes === undefined ? {} : { changes }),
        ...end,
      })
    },
  })
  if (isRefusal(result)) return result
  return { status: statusWhenDone(verb), body: JSON.stringify(result) }
}

interface VerbCall {
  readonly verb: Verb
  readonly caller: Caller
  readonly call: Call
  readonly input: z.output<Verb['input']>
}

async function act(deps: AdminDeps, { verb, caller, call, input }: VerbCall): Promise<unknown> {
  const { directory, watch, clock, randomBytes, hubTokenPrefix, findRepository, policy } = deps
  const { keys, verifyOwnToken, providers, repositoriesPerNamespace } = deps
  const looking = { findRepository, policy, keys, verifyOwnToken }
  const found = { ...looking, providers, repositoriesPerNamespace }
  const own = { directory, randomBytes, hubTokenPrefix, ...found }
  const actor = async () => {
    const { result: still } = await deps.identify(call.request)
    return isRefusal(still) ? still : (admit(still, verb) ?? still)
  }
  const { requestId, signal } = call
  const run = () => runVerb(verb, input, { ...own, now: clock(), actor, requestId })
  const { wait: waitSeconds = 0 } = input as { readonly wait?: number }
  const holder = caller.accountId
  return waitSeconds === 0 ? run() : longPoll(run, { watch, holder, waitSeconds, signal })
}

function limitOf(
  { namespaces, hubTokenId }: Caller,
  { method }: Verb,
  { limitChanges }: AdminDeps,
): Refusal | undefined {
  if (namespaces === undefined || method === 'GET') return undefined
  return limitChanges(hubTokenId)
}

/** Decides whether a caller may use a verb of the admin API. */
function admit(caller: Caller, verb: Verb): Refusal | undefined {
  const { group } = verb
  if (caller.kind !== 'admin') {
    return lacking(
      `The admin API takes hub tokens of kind admin; this one is ${caller.kind}.`,
      'a hub token of kind admin',
      'Use an admin hub token.',
    )
  }
  // The verb itself asks for the role in the namespace, in its transaction.
  if (caller.namespaces !== undefined) {
    if (isDelegated(verb) && mayUse(caller, group)) return undefined
    return lacking(
      `This hub token is limited to namespaces, and "${verb.words}" concerns the whole hub, or content.`,
      'an admin hub token that is not limited to namespaces',
      'Use an admin hub token of an administrator of the hub.',
    )
  }
  if (!caller.administrator) {
    return lacking(
      'The account of this hub token is no administrator any more.',
      'an account that is an administrator',
      'Use an admin hub token of an administrator.',
    )
  }
  if (mayUse(caller, group)) return undefined
  return lacking(
    `This hub token is limited to admin scopes, and "${group}" is not one of them.`,
    `the admin scope ${group}`,
    'Use an admin hub token with that scope, or one without limits.',
  )
}

function lacking(detail: string, missing: string, advice: string): Refusal {
  return refuse('permission_denied', `${detail} ${advice}`, { missing })
}
