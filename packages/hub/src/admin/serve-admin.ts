/** Serves every verb of the directory under /admin/v1. */

import type { IncomingMessage } from 'node:http'
import { statusWhenDone, type Verb, type VerbGroup } from '@latchkey/admin-api'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Call } from '@latchkey/service/http/call'
import { readJsonBody } from '@latchkey/service/http/read-json-body'
import type { Handle } from '@latchkey/service/http/serve-routes'
import type { z } from 'zod'
import type { Caller } from '../identity/caller.ts'
import { longPoll } from '../journal/long-poll.ts'
import { actorOf, changesIn, endOf, targetOf } from '../operations/admin-call.ts'
import { runVerb } from '../run-verb/run-verb.ts'
import { mayUse } from '../verbs/administrators.ts'
import { bodyLimitOf, bodyRoom } from './body-limits.ts'
import { type Matched, matchRoute } from './match-route.ts'
import type { AdminPorts } from './ports.ts'
import { readRequest } from './read-request.ts'

export function serveAdmin(ports: AdminPorts): Handle {
  const takeRoom = bodyRoom()
  return async (call) => {
    const { request, requestId } = call
    const startedAt = performance.now()
    const matched = matchRoute(request.method ?? '', request.url ?? '')
    if (isRefusal(matched)) return matched
    const address = ports.clientAddress(request)
    const identified = await call.attempt(() => ports.identify(request))
    const {
      result: caller,
      caller: valid,
      refusedCaller: known = valid,
    } = isRefusal(identified) ? { result: identified } : identified
    const release = isRefusal(caller)
      ? caller
      : await call.attempt(() => admit(caller, matched.verb.group) ?? takeRoom(call, caller))
    const input = isRefusal(release) ? release : await call.attempt(() => read(matched, request))
    const answer =
      isRefusal(caller) || isRefusal(input)
        ? input
        : await call.attempt(() => act(ports, { matched, caller, call, input }))
    if (!isRefusal(release)) release()
    const changes = changesIn(answer)
    ports.logAdminCall({
      verb: matched.verb.words,
      actor: known === undefined ? {} : actorOf(known),
      target: targetOf(isRefusal(input) ? matched.members : input, answer),
      ...endOf(answer),
      ...(changes === undefined ? {} : { changes }),
      address,
      requestId,
      milliseconds: Math.round((performance.now() - startedAt) * 1000) / 1000,
    })
    if (isRefusal(answer)) return answer
    return { status: statusWhenDone(matched.verb), body: JSON.stringify(answer) }
  }
}

interface Matching {
  readonly matched: Matched
  readonly caller: Caller
  readonly call: Call
}

type Input = z.output<Verb['input']>

async function read(matched: Matched, request: IncomingMessage): Promise<Input | Refusal> {
  const body = await readJsonBody(request, bodyLimitOf(matched.verb))
  return isRefusal(body) ? body : readRequest(matched, { target: request.url ?? '', body })
}

async function act(
  ports: AdminPorts,
  { matched: { verb }, caller, call, input }: Matching & { readonly input: Input },
): Promise<unknown> {
  const { directory, watch, clock, randomBytes, hubTokenPrefix, findRepository, policy } = ports
  const { keys, verifyOwnToken } = ports
  const found = { findRepository, policy, keys, verifyOwnToken }
  const own = { directory, randomBytes, hubTokenPrefix, ...found }
  const actor = async () => {
    const { result: still } = await ports.identify(call.request)
    return isRefusal(still) ? still : (admit(still, verb.group) ?? still)
  }
  const { requestId, signal } = call
  const run = () => runVerb(verb, input, { ...own, now: clock(), actor, requestId })
  const { wait: waitSeconds = 0 } = input as { readonly wait?: number }
  const { hubTokenId } = caller
  return waitSeconds === 0 ? run() : longPoll(run, { watch, hubTokenId, waitSeconds, signal })
}

/** Decides whether a caller may use a verb of the admin API. */
function admit(caller: Caller, group: VerbGroup): Refusal | undefined {
  if (caller.kind !== 'admin') {
    return lacking(
      `The admin API takes hub tokens of kind admin; this one is ${caller.kind}.`,
      'a hub token of kind admin',
      'Use an admin hub token.',
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
    `This hub token is limited to verb groups, and "${group}" is not one of them.`,
    `the verb group ${group}`,
    'Use an admin hub token with that group, or one without limits.',
  )
}

function lacking(detail: string, missing: string, advice: string): Refusal {
  return refuse('permission_denied', `${detail} ${advice}`, { missing })
}
