/** The framework around everything but the token request, with the hub's own refusals. */

import { pathOf, type Refusal, refuse } from '@latchkey/protocol'
import { failureOf } from '@latchkey/service/log'
import { newId, type RandomBytes } from '@latchkey/service/random'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { HubLog } from '../operations/log-events.ts'
import type { HubCors } from './cors.ts'
import { hubFailed } from './hub-failed.ts'
import { sendRefusal } from './send-refusal.ts'

export interface AppOptions {
  readonly randomBytes: RandomBytes
  readonly cors: HubCors
  readonly log: HubLog
}

export function createApp({ randomBytes, cors, log }: AppOptions): FastifyInstance {
  const app = Fastify({
    genReqId: () => newId(randomBytes),
    frameworkErrors: (_error, _request, reply) => sendRefusal(reply, notFound()),
  })
  // A body is read only where a route wants one; elsewhere it changes nothing.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
    reply.header('Cache-Control', 'no-store')
    const headers = cors.headersFor(request.raw)
    for (let index = 0; index < headers.length; index += 2) {
      reply.header(headers[index] ?? '', headers[index + 1])
    }
  })
  app.setNotFoundHandler((request, reply) => sendRefusal(reply, notServed(app, request)))
  app.setErrorHandler((error, request, reply) => {
    // Methods that the framework does not know come here instead.
    if (request.is404) return sendRefusal(reply, notServed(app, request))
    log('request_failed', { requestId: request.id, ...failureOf(error) })
    return sendRefusal(reply, hubFailed())
  })
  return app
}

function notServed(app: FastifyInstance, request: FastifyRequest): Refusal {
  const allow = methodsAt(app, request)
  return allow === '' ? notFound() : notAllowed(request.method, allow)
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
  return refuse('method_not_allowed', `${method} is not allowed here; allowed: ${allow}.`, {
    allow,
  })
}
