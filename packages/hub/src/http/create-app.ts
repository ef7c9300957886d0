/** The framework around everything but the token request, with the hub's own refusals. */

import { pathOf, type Refusal, refuse } from '@latchkey/protocol'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify'
import { newId, type RandomBytes } from '../identity/random.ts'
import { failureOf, type Log } from '../operations/log.ts'
import type { Cors } from './cors.ts'
import { sendRefusal } from './send-refusal.ts'

export interface AppOptions {
  readonly randomBytes: RandomBytes
  readonly cors: Cors
  readonly log: Log
}

export const largestBody = 4 * 1024 * 1024

export function createApp({ randomBytes, cors, log }: AppOptions): FastifyInstance {
  const app = Fastify({
    genReqId: () => newId(randomBytes),
    bodyLimit: largestBody,
    frameworkErrors: (_error, request, reply) => sendRefusal(reply, notFound(), request),
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
    reply.header('Cache-Control', 'no-store')
    const headers = cors.headersFor(request.raw)
    for (let index = 0; index < headers.length; index += 2) {
      reply.header(headers[index] ?? '', headers[index + 1])
    }
  })
  app.setNotFoundHandler((request, reply) => {
    const allow = methodsAt(app, request)
    return allow === ''
      ? sendRefusal(reply, notFound(), request)
      : sendRefusal(reply, notAllowed(request.method, allow), request, allow)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalFor(error)
    if (refusal.refused === 'internal_error') {
      log('request_failed', { requestId: request.id, ...failureOf(error) })
    }
    return sendRefusal(reply, refusal, request)
  })
  return app
}

function methodsAt(app: FastifyInstance, { raw }: FastifyRequest): string {
  const url = pathOf(raw.url ?? '')
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
    .filter((method) => app.findRoute({ method: method as 'GET', url }) !== null)
    .join(', ')
}

function notFound(): Refusal {
  return refuse(
    'not_found',
    'Nothing is served at this path. A storage token is asked for at /api/{models|datasets|spaces}/{namespace}/{name}/storage-{read|write}-token/{revision}.',
  )
}

function notAllowed(method: string, allow: string): Refusal {
  return refuse('method_not_allowed', `${method} is not allowed here; allowed: ${allow}.`)
}

function refusalFor(error: FastifyError): Refusal {
  switch (error.statusCode) {
    case 400:
      return refuse('bad_request', 'The request body is not the JSON that was announced.')
    case 413:
      return refuse('body_too_large', `The request body exceeds ${largestBody} bytes.`)
    case 415:
      return refuse(
        'unsupported_media_type',
        'The request body must be JSON: send "Content-Type: application/json".',
      )
    default:
      return refuse(
        'internal_error',
        'The hub failed to answer. Try again; the request id helps its operator to find out why.',
      )
  }
}
