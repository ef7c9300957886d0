/** The gate as a fastify plugin: every route of the instance it is registered on is guarded. */

import { headerPairs } from '@latchkey/service/header-list'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admitted, Gate } from '../check/create-gate.ts'
import { cutWhenRevoked, gateRequestOf } from './node.ts'
import { type ReceptionOptions, reception } from './reception.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the gate admitted this request with. */
    readonly admitted: Admitted
  }
}

export interface FastifyGateOptions extends ReceptionOptions {
  readonly gate: Gate
}

export async function fastifyGate(
  app: FastifyInstance,
  { gate, ...options }: FastifyGateOptions,
): Promise<void> {
  const receive = reception(gate, options)
  app.decorateRequest('admitted')
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const received = await receive(gateRequestOf(request.raw, request.ip))
    const headers = received.ok ? received.headers : received.answer.headers
    for (const [name, value] of headerPairs(headers)) reply.header(name, value)
    if (received.ok) {
      Object.assign(request, { admitted: received.admitted })
      cutWhenRevoked(gate, received.admitted, reply.raw)
      return
    }
    await reply.code(received.answer.status).send(Buffer.from(received.answer.body))
  })
}

// Hooks stay inside of a plugin unless it says otherwise.
Object.assign(fastifyGate, { [Symbol.for('skip-override')]: true })
