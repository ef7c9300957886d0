/** Serves every verb of the directory under /admin/v1. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hubFailed } from '../http/hub-failed.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import type { Caller } from '../identity/caller.ts'
import { runVerb } from '../verbs/run-verb.ts'
import { admit } from './admit.ts'
import { type Matched, matchRoute } from './match-route.ts'
import type { AdminCall, AdminPorts } from './ports.ts'
import { readBody } from './read-body.ts'
import { readRequest } from './read-request.ts'
import { adminPrefix, statusWhenDone } from './verb-over-http.ts'

export function registerAdmin(app: FastifyInstance, ports: AdminPorts): void {
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const startedAt = performance.now()
    const matched = matchRoute(request.method, request.raw.url ?? '')
    if (isRefusal(matched)) return sendRefusal(reply, matched)
    const caller = await orFailed(request, () => ports.authenticate(request.raw))
    const answer = isRefusal(caller)
      ? caller
      : await orFailed(request, () => act(ports, { matched, caller, request }))
    ports.logAdminCall({
      verb: matched.verb.words,
      ...(isRefusal(caller) ? stranger : idsOf(caller)),
      ...endOf(answer),
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
  readonly caller: Caller
  readonly request: FastifyRequest
}

async function act(ports: AdminPorts, { matched, caller, request }: Call): Promise<unknown> {
  const { verb } = matched
  const lacking = admit(caller, verb.group)
  if (lacking !== undefined) return lacking
  const body = await readBody(request.raw)
  if (isRefusal(body)) return body
  const input = readRequest(matched, { query: request.query, body })
  if (isRefusal(input)) return input
  const { directory, clock, randomBytes, hubTokenPrefix, findRepository, policy } = ports
  const own = { directory, now: clock(), randomBytes, hubTokenPrefix, findRepository, policy }
  const actor = async () => {
    const still = await ports.authenticate(request.raw)
    return isRefusal(still) ? still : (admit(still, verb.group) ?? still)
  }
  return runVerb(verb, input, { ...own, actor })
}

const stranger = { subject: undefined, hubToken: undefined }

function idsOf({ accountId, hubTokenId }: Caller): Pick<AdminCall, 'subject' | 'hubToken'> {
  return { subject: accountId, hubToken: hubTokenId }
}

function endOf(answer: unknown): Pick<AdminCall, 'outcome' | 'code'> {
  if (!isRefusal(answer)) return { outcome: 'done', code: undefined }
  const { refused: code } = answer
  return { outcome: code === 'internal_error' ? 'failed' : 'refused', code }
}
