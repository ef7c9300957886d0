/** The gate as a fastify plugin: every route of the instance it is registered on is guarded. */

import { type OptionTypes, refuseOptions } from '@latchkey/protocol'
import { headerPairs } from '@latchkey/service/http/headers'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Gate } from '../check/create-gate.ts'
import {
  type AdmittedRequest,
  type AuthenticatorOptions,
  authenticatorTypes,
  publicAuthenticator,
} from './authenticate.ts'
import { abortWhenRevoked, admit, admittedOf, gateRequestOf } from './node.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The gate's admission of this request. Throws for a request of a public route, which has none. */
    readonly admitted: AdmittedRequest
  }
}

export interface FastifyGateOptions extends AuthenticatorOptions {
  readonly gate: Gate
}

const types: OptionTypes<FastifyGateOptions> = { ...authenticatorTypes, gate: 'object' }

/** Options of `app.register` itself, which fastify hands on. */
const ofRegister = { prefix: 'any', logLevel: 'any', logSerializers: 'any', encapsulate: 'any' }

/**
 * @example
 * ```ts
 * const app = fastify()
 * await app.register(fastifyGate, { gate })
 * app.get('/v1/files/:hash', (request) => `for ${request.admitted.grant.subject}`)
 * ```
 */
export async function fastifyGate(
  app: FastifyInstance,
  options: FastifyGateOptions,
): Promise<void> {
  refuseOptions('fastifyGate', options, { ...types, ...ofRegister }, CannotStart)
  const { gate, origins = [], onFailure = console.error } = options
  const receive = publicAuthenticator(gate, { origins, onFailure })
  app.decorateRequest('admitted', {
    getter() {
      return admittedOf(this.raw)
    },
  })
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const received = await receive(gateRequestOf(request.raw, request.ip))
    const headers = received.ok ? received.headers : received.answer.headers
    for (const [name, value] of headerPairs(headers)) reply.header(name, value)
    if (received.ok) {
      if (received.admitted !== undefined) {
        admit(request.raw, abortWhenRevoked(gate, received.admitted, reply.raw))
      }
      return
    }
    await reply.code(received.answer.status).send(Buffer.from(received.answer.body))
  })
}

// Hooks stay inside of a plugin unless it says otherwise.
Object.assign(fastifyGate, { [Symbol.for('skip-override')]: true })
