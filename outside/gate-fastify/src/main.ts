/** A storage on fastify. */

import { createGate } from '@latchkey/gate'
import { fastifyGate } from '@latchkey/gate/fastify'
import fastify from 'fastify'

const { HUB_URL = 'http://127.0.0.1:8080', CAS_URL, PORT } = process.env

const gate = createGate({
  hubUrl: HUB_URL,
  casUrl: CAS_URL ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
})

const app = fastify({ http: { maxHeaderSize: 96 * 1024 } })
await app.register(fastifyGate, { gate })
app.all('/r/:repo/:ref/v1/*', async ({ admitted: { grant, path } }) => {
  return { repository: grant.repository, ref: grant.ref, scope: grant.scope, path }
})

await app.listen({ host: '127.0.0.1', port: Number(PORT ?? 8081) })
