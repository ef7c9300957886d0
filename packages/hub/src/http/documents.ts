/** The documents a hub publishes: its public keys and the description of its API. */

import type { Jwks } from '@latchkey/token'
import type { FastifyInstance } from 'fastify'

const json = 'application/json'

export interface Documents {
  readonly jwks: Jwks
  readonly openApi: object
}

/** Written out once: whoever asks a thousand times costs a thousand references. */
export function registerDocuments(app: FastifyInstance, { jwks, openApi }: Documents): void {
  const keys = Buffer.from(JSON.stringify(jwks))
  const description = Buffer.from(JSON.stringify(openApi))
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    return reply.header('Cache-Control', 'public, max-age=60').type(json).send(keys)
  })
  app.get('/openapi.json', async (_request, reply) => reply.type(json).send(description))
}
