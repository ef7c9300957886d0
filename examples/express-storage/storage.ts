/** A storage on Express: the gate admits requests, and `visible` keeps repositories and refs apart. */

import { createGate, type Gate, type Row, rowFor, visible } from '@latchkey/gate'
import { admittedOf, guardNode } from '@latchkey/gate/node'
import express, { type Express } from 'express'

interface FileRow extends Row {
  readonly name: string
  readonly bytes: Buffer
}

/** All rows of all repositories in one table, as in a database. */
export function openStorage(gate: Gate): Express {
  const rows: FileRow[] = []
  const app = express()
  app.use(guardNode(gate))

  app.get('/r/:repo/:ref/files', (request, response) => {
    const { grant } = admittedOf(request)
    const names = rows.filter((row) => visible(grant, row)).map(({ name }) => name)
    response.json([...new Set(names)].sort())
  })

  app.get('/r/:repo/:ref/files/:name', (request, response) => {
    const { grant } = admittedOf(request)
    const { name } = request.params
    const newest = rows.findLast((row) => row.name === name && visible(grant, row))
    if (newest === undefined) response.sendStatus(404)
    else response.type('application/octet-stream').send(newest.bytes)
  })

  const body = express.raw({ type: () => true, limit: '10mb' })
  app.put('/r/:repo/:ref/files/:name', body, (request, response) => {
    const { grant } = admittedOf(request)
    // Without a body Express leaves it undefined.
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    rows.push({ ...rowFor(grant), name: request.params.name, bytes })
    response.status(201).end()
  })

  return app
}

if (import.meta.main) {
  const gate = createGate({
    hubUrl: process.env['HUB_URL'] ?? 'http://127.0.0.1:8080',
    casUrl: process.env['CAS_URL'] ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
  })
  openStorage(gate).listen(8081, '127.0.0.1')
}
