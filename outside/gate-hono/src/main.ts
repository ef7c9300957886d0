/** A storage on Hono. */

import { serve } from '@hono/node-server'
import { createGate, guardFetch } from '@latchkey/gate'
import { Hono } from 'hono'

const { HUB_URL = 'http://127.0.0.1:8080', CAS_URL, PORT } = process.env

const gate = createGate({
  hubUrl: HUB_URL,
  casUrl: CAS_URL ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
})

const guarded = guardFetch(gate, (_request, { grant, path }) =>
  Response.json({ repository: grant.repository, ref: grant.ref, scope: grant.scope, path }),
)

const app = new Hono()
app.all('/r/:repo/:ref/v1/*', (context) => guarded(context.req.raw))

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT ?? 8081) })
