/** A storage on Express: the gate stands before every route. */

import { createServer } from 'node:http'
import { createGate } from '@latchkey/gate'
import { admittedOf, guardNode } from '@latchkey/gate/node'
import express from 'express'

const gate = createGate({
  hubUrl: process.env['HUB_URL'] ?? 'http://127.0.0.1:8080',
  casUrl: process.env['CAS_URL'] ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
})

export const app = express()

app.use(guardNode(gate))
app.use((request, response) => {
  const { grant, path } = admittedOf(request)
  const { repository, ref } = grant
  response.json({ method: request.method, path, repository, ref })
})

if (import.meta.main) {
  const server = createServer({ maxHeaderSize: 96 * 1024 }, app)
  // Port 8081 is the embedded storage's as well: the hub runs with --no-storage.
  server.on('error', ({ message }) => {
    console.error(`${message}; a hub beside this needs --no-storage`)
    process.exitCode = 1
  })
  server.listen(8081, '127.0.0.1')
}
