/** A storage that knows no repositories: it keeps objects by their path, after it has decoded and repaired it. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'

export interface PathStore {
  readonly address: string
  /** Path and query of every request, as they came. */
  readonly targets: string[]
  close(): Promise<void>
}

/** It repairs as much as any server does, so that every path which leads elsewhere is seen to lead there. */
function keyOf(target: string): string {
  const [path = ''] = target.split('?', 1)
  return posix.normalize(decodeURIComponent(path)).replace(/\/$/, '')
}

export async function openPathStore(): Promise<PathStore> {
  const objects = new Map<string, Buffer>()
  const targets: string[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request
    targets.push(url)
    const key = keyOf(url)
    const body = await buffer(request)
    if (method === 'PUT') objects.set(key, body)
    // As S3 deletes several objects.
    if (method === 'POST' && url.endsWith('?delete')) objects.delete(key)
    const found = objects.get(key)
    response.writeHead(found === undefined ? 404 : 200)
    response.end(found)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    targets,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
