/** A storage on fastify: the plugin guards every route of the instance. */

import { createGate } from '@latchkey/gate'
import { fastifyGate } from '@latchkey/gate/fastify'
import fastify from 'fastify'

const gate = createGate({
  hubUrl: process.env['HUB_URL'] ?? 'http://127.0.0.1:8080',
  casUrl: process.env['CAS_URL'] ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
})

export const app = fastify({ http: { maxHeaderSize: 96 * 1024 } })

await app.register(fastifyGate, { gate })
app.all('/*', async ({ method, admitted: { grant, path } }) => {
  const { repository, ref } = grant
  return { method, path, repository, ref }
})

if (import.meta.main) {
  // Port 8081 is the embedded storage's as well: the hub runs with --no-storage.
  await app.listen({ host: '127.0.0.1', port: 8081 }).catch(({ message }: Error) => {
    console.error(`${message}; a hub beside this needs --no-storage`)
    process.exitCode = 1
  })
}
