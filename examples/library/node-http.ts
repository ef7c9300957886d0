/** A storage on plain `node:http`. */

import { createServer } from 'node:http'
import { createGate } from '@latchkey/gate'
import { admittedOf, guardNode } from '@latchkey/gate/node'

const gate = createGate({
  hubUrl: process.env['HUB_URL'] ?? 'http://127.0.0.1:8080',
  casUrl: process.env['CAS_URL'] ?? 'http://127.0.0.1:8081/r/{repo}/{ref}',
})
const guard = guardNode(gate)

// A token may have 64000 characters, and a wrong one deserves its 401.
export const server = createServer({ maxHeaderSize: 96 * 1024 }, (request, response) => {
  guard(request, response, () => {
    const { grant, path } = admittedOf(request)
    const { repository, ref } = grant
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ method: request.method, path, repository, ref }))
  })
})

if (import.meta.main) {
  // Port 8081 is the embedded storage's as well: the hub runs with --no-storage.
  server.on('error', ({ message }) => {
    console.error(`${message}; a hub beside this needs --no-storage`)
    process.exitCode = 1
  })
  server.listen(8081, '127.0.0.1')
}
