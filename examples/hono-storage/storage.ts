/** A storage on Hono: the gate admits requests, and `visible` keeps repositories and refs apart. */

import { createGate, type Gate, type Row, rowFor, visible } from '@latchkey/gate'
import { type GateEnv, honoGate } from '@latchkey/gate/hono'
import { Hono } from 'hono'

interface FileRow extends Row {
  readonly name: string
  readonly bytes: ArrayBuffer
}

/** All rows of all repositories in one table, as in a database. */
export function openStorage(gate: Gate): Hono<GateEnv> {
  const rows: FileRow[] = []
  const app = new Hono<GateEnv>()
  app.use(honoGate(gate))
  app.get('/healthz', ({ text }) => text(gate.isReady() ? 'ready' : 'starting'))

  app.get('/r/:repo/:ref/files', ({ get, json }) => {
    const names = rows.filter((row) => visible(get('grant'), row)).map(({ name }) => name)
    return json([...new Set(names)].sort())
  })

  app.get('/r/:repo/:ref/files/:name', ({ req, get, body, notFound }) => {
    const name = req.param('name')
    const newest = rows.findLast((row) => row.name === name && visible(get('grant'), row))
    return newest === undefined ? notFound() : body(newest.bytes)
  })

  app.put('/r/:repo/:ref/files/:name', async ({ req, get, body }) => {
    const bytes = await req.arrayBuffer()
    rows.push({ ...rowFor(get('grant')), name: req.param('name'), bytes })
    return body(null, 201)
  })

  return app
}

if (import.meta.main) {
  const gate = createGate({
    hubUrl: process.env['HUB_URL'] ?? 'http://127.0.0.1:8080',
    casUrl: process.env['CAS_URL'] ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
    publicRoutes: [{ path: '/healthz' }],
  })
  const { serve } = await import('@hono/node-server')
  serve({ fetch: openStorage(gate).fetch, hostname: '127.0.0.1', port: 8081 })
}
