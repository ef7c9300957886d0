/** A storage as a function from Request to Response, for any runtime. */

import { createGate, guardFetch } from '@latchkey/gate'

const { HUB_URL = 'http://127.0.0.1:8080', CAS_URL } = process.env

const gate = createGate({
  hubUrl: HUB_URL,
  casUrl: CAS_URL ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
})

export const handler = guardFetch(gate, (_request, { grant, path }) =>
  Response.json({ repository: grant.repository, ref: grant.ref, scope: grant.scope, path }),
)
