/** A gate that lets everybody in, to see what a proxy's configuration keeps away by itself. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { identity } from './guarantees.ts'

export async function openCarelessGate(): Promise<{ address: string; close(): Promise<void> }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { ...identity, 'Content-Length': '0' })
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
