/** Serves every verb of the directory under /admin/v1. */

import { adminPrefix, statusWhenDone, type Verb } from '@latchkey/admin-api'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { hubFailed } from '../http/hub-failed.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import type { Caller } from '../identity/caller.ts'
import { actorOf, changesIn, endOf, targetOf } from '../operations/admin-call.ts'
import { runVerb } from '../verbs/run-verb.ts'
import { admit } from './admit.ts'
import { type Matched, matchRoute } from './match-route.ts'
import type { AdminPorts } from './ports.ts'
import { readBody } from './read-body.ts'
import { readRequest } from './read-request.ts'

export function registerAdmin(app: FastifyInstance, ports: AdminPorts): void {
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const startedAt = performance.now()
    const matched = matchRoute(request.method, request.raw.url ?? '')
    if (isRefusal(matched)) return sendRefusal(reply, matched)
    const caller = await orFailed(request, () => ports.authenticate(request.raw))
    const input = isRefusal(caller)
      ? caller
      : await orFailed(request, () => read({ matched, caller, request }))
    const answer = isRefusal(input)
      ? input
      : await orFailed(request, () => act(ports, { matched, request, input }))
    const changes = changesIn(answer)
    ports.logAdminCall({
      verb: matched.verb.words,
      actor: isRefusal(caller) ? {} : actorOf(caller),
      target: targetOf(isRefusal(input) ? matched.members : input, answer),
      ...endOf(answer),
      ...(changes === undefined ? {} : { changes }),
      requestId: request.id,
      milliseconds: Math.round((performance.now() - startedAt) * 1000) / 1000,
    })
    if (!isRefusal(answer)) return reply.code(statusWhenDone(matched.verb)).send(answer)
    // What is left of a body that is too large would be taken for the next request.
    if (answer.refused === 'body_too_large') reply.header('Connection', 'close')
    return sendRefusal(reply, answer)
  }

  /** The caller learns that something broke, and the log what it was. */
  const orFailed = async <Result>(
    request: FastifyRequest,
    work: () => Promise<Result>,
  ): Promise<Result | Refusal> => {
    try {
      return await work()
    } catch (error) {
      ports.logFailure(error, request.id)
      return hubFailed()
    }
  }

  app.register(async (admin) => {
    // Bodies wait until the caller is known: a stranger cannot make us hold megabytes.
    admin.removeAllContentTypeParsers()
    admin.addContentTypeParser('*', (_request, _payload, done) => done(null))
    admin.all(adminPrefix, serve)
    admin.all(`${adminPrefix}/*`, serve)
  })
}

interface Call {
  readonly matched: Matched
  readonly request: FastifyRequest
}

type Input = z.output<Verb['input']>

async function read({
  matched,
  caller,
  request,
}: Call & { readonly caller: Caller }): Promise<Input | Refusal> {
  const lacking = admit(caller, matched.verb.group)
  if (lacking !== undefined) return lacking
  const body = await readBody(request.raw)
  return isRefusal(body) ? body : readRequest(matched, { query: request.query, body })
}

async function act(
  ports: AdminPorts,
  { matched: { verb }, request, input }: Call & { readonly input: Input },
): Promise<unknown> {
  const { directory, clock, randomBytes, hubTokenPrefix, findRepository, policy } = ports
  const own = { directory, now: clock(), randomBytes, hubTokenPrefix, findRepository, policy }
  const actor = async () => {
    const still = await ports.authenticate(request.raw)
    return isRefusal(still) ? still : (admit(still, verb.group) ?? still)
  }
  return runVerb(verb, input, { ...own, actor, requestId: request.id })
}
