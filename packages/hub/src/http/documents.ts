/** The documents a hub publishes: its public keys and the description of its API. */

import type { Jwks } from '@latchkey/token'
import type { FastifyInstance } from 'fastify'

export interface Documents {
  readonly jwks: Jwks
  readonly openApi: object
}

export function registerDocuments(app: FastifyInstance, { jwks, openApi }: Documents): void {
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    return reply.header('Cache-Control', 'public, max-age=60').send(jwks)
  })
  app.get('/openapi.json', async () => openApi)
}
