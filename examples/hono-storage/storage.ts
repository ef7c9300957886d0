/** A storage on Hono: the gate admits requests, and `visible` keeps repositories and refs apart. */

import {
  type AdmittedRequest,
  createGate,
  type Gate,
  guardFetch,
  type Row,
  rowFor,
  visible,
} from '@latchkey/gate'
import { Hono } from 'hono'

interface FileRow extends Row {
  readonly name: string
  readonly bytes: ArrayBuffer
}

/** All rows of all repositories in one table, as in a database. */
export function openStorage(gate: Gate): (request: Request) => Promise<Response> {
  const rows: FileRow[] = []
  const app = new Hono<{ Bindings: AdmittedRequest }>()
  const files = app.basePath('/r/:repo/:ref/files')

  files.get('/', ({ env: { grant }, json }) => {
    const names = rows.filter((row) => visible(grant, row)).map(({ name }) => name)
    return json([...new Set(names)].sort())
  })

  files.get('/:name', ({ req, env: { grant }, body, notFound }) => {
    const name = req.param('name')
    const newest = rows.findLast((row) => row.name === name && visible(grant, row))
    return newest === undefined ? notFound() : body(newest.bytes)
  })

  files.put('/:name', async ({ req, env: { grant }, body }) => {
    const bytes = await req.arrayBuffer()
    rows.push({ ...rowFor(grant), name: req.param('name'), bytes })
    return body(null, 201)
  })

  return guardFetch(gate, (request, admitted) => app.fetch(request, admitted))
}

if (import.meta.main) {
  const gate = createGate({
    hubUrl: process.env['HUB_URL'] ?? 'http://127.0.0.1:8080',
    casUrl: process.env['CAS_URL'] ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
  })
  const { serve } = await import('@hono/node-server')
  serve({ fetch: openStorage(gate), hostname: '127.0.0.1', port: 8081 })
}
