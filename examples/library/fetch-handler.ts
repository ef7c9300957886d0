/** A storage as a fetch handler: the same for Hono, Bun, Deno and workers. */

import { createGate, guardFetch } from '@latchkey/gate'

const gate = createGate({
  hubUrl: process.env['HUB_URL'] ?? 'http://127.0.0.1:8080',
  casUrl: process.env['CAS_URL'] ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
})

// Bun: Bun.serve({ fetch: handler }). Deno: Deno.serve(handler). Workers: export default { fetch: handler }.
// Hono: app.all('*', (context) => handler(context.req.raw)).
export const handler = guardFetch(gate, (request, { grant, path }) =>
  Response.json({ method: request.method, path, repository: grant.repository, ref: grant.ref }),
)
