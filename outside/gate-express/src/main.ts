/** A storage on Express. */

import { createServer } from 'node:http'
import { createGate } from '@latchkey/gate'
import { admittedOf, guardNode } from '@latchkey/gate/node'
import express from 'express'

const { HUB_URL = 'http://127.0.0.1:8080', CAS_URL, PORT } = process.env

const gate = createGate({
  hubUrl: HUB_URL,
  casUrl: CAS_URL ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
})

const app = express()
app.use(guardNode(gate))
app.all('/r/:repo/:ref/v1/*rest', (request, response) => {
  const { grant, path } = admittedOf(request)
  response.json({ repository: grant.repository, ref: grant.ref, scope: grant.scope, path })
})

createServer({ maxHeaderSize: 96 * 1024 }, app).listen(Number(PORT ?? 8081), '127.0.0.1')
