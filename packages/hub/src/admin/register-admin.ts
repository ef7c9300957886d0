/** Serves every verb of the directory under /admin/v1. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { StorageFull } from '../directory/directory.ts'
import type { VerbWork } from '../directory/verb.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import type { Caller } from '../identity/caller.ts'
import { admit } from './admit.ts'
import { adminPrefix, type Matched, matchRoute } from './match-route.ts'
import type { AdminCall, AdminPorts } from './ports.ts'
import { readRequest } from './read-request.ts'
import { statusWhenDone } from './verb-over-http.ts'

export const largestBodyBytes = 4 * 1024 * 1024

/** What is known of a call that has reached a verb. */
interface Call extends Matched {
  readonly startedAt: number
  caller?: Caller
}

export function registerAdmin(app: FastifyInstance, ports: AdminPorts): void {
  const calls = new WeakMap<FastifyRequest, Call>()

  /** Before the body is read: a stranger cannot make us hold megabytes. */
  const begin = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('X-Request-Id', request.id).header('Cache-Control', 'no-store')
    const matched = matchRoute(request.method, request.raw.url ?? '')
    if (!('verb' in matched)) return sendRefusal(reply, matched.refusal, request, matched.allow)
    const call: Call = { ...matched, startedAt: performance.now() }
    calls.set(request, call)
    const caller = await ports.authenticate(request.raw)
    if (isRefusal(caller)) return refused(reply, caller)
    call.caller = caller
    const lacking = admit(caller, matched.verb.group)
    return lacking === undefined ? undefined : refused(reply, lacking)
  }

  const run = async (request: FastifyRequest, reply: FastifyReply) => {
    const call = calls.get(request)
    if (call?.caller === undefined) throw new Error('a verb was reached without a caller')
    const input = readRequest(call, request)
    if (isRefusal(input)) return refused(reply, input)
    const output = await runVerb(ports, call, call.caller, input)
    if (isRefusal(output)) return refused(reply, output)
    log(request, 'done', undefined)
    return reply.code(statusWhenDone(call.verb)).send(output)
  }

  const refused = (reply: FastifyReply, refusal: Refusal) => {
    const outcome = refusal.refused === 'internal_error' ? 'failed' : 'refused'
    log(reply.request, outcome, refusal.refused)
    return sendRefusal(reply, refusal, reply.request)
  }

  const log = (
    request: FastifyRequest,
    outcome: AdminCall['outcome'],
    code: AdminCall['code'],
  ): void => {
    const call = calls.get(request)
    if (call === undefined) return
    ports.logAdminCall({
      verb: call.verb.words,
      actor: call.caller?.accountName,
      hubTokenId: call.caller?.hubTokenId,
      outcome,
      code,
      requestId: request.id,
      durationMs: performance.now() - call.startedAt,
    })
  }

  app.register(async (admin) => {
    admin.removeAllContentTypeParsers()
    admin.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) =>
      done(null, body),
    )
    admin.setErrorHandler((error, request, reply) => {
      const refusal = refusalOf(error)
      if (refusal.refused === 'internal_error') ports.logFailure(error, request.id)
      return refused(reply, refusal)
    })
    const route = { onRequest: begin, bodyLimit: largestBodyBytes }
    admin.all(adminPrefix, route, run)
    admin.all(`${adminPrefix}/*`, route, run)
  })
}

/** The answer is made inside the transaction: what cannot be answered has not happened. */
function runVerb(
  ports: AdminPorts,
  { verb }: Matched,
  actor: Caller,
  input: object,
): Promise<unknown> {
  const { directory, clock, randomBytes, hubTokenPrefix, findRepository, policy } = ports
  const work = { now: clock(), randomBytes, hubTokenPrefix, findRepository, policy, actor }
  const run = async (tables: VerbWork['tables']) => {
    const output = await verb.run({ ...work, tables }, { ...input })
    return isRefusal(output) ? output : verb.output.parse(output)
  }
  return verb.method === 'GET' ? directory.read(run) : directory.change(run)
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof StorageFull) {
    return refuse('storage_full', 'There is no room left to write; nothing was changed.')
  }
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refuse(
        'body_too_large',
        `The body is larger than ${largestBodyBytes} bytes. Split it.`,
      )
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refuse('unsupported_media_type', 'Send the body as application/json.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return refuse('bad_request', 'The body is not as long as its Content-Length says.')
    default:
      return refuse('internal_error', 'The request failed in the service. Try again later.')
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
