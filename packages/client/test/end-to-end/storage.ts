/** A storage that keeps what it gets, and can be made to keep its readers waiting. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Storage {
  readonly url: string
  /** By path. */
  readonly objects: Map<string, Buffer>
  /** Answers nobody until what it gives back is called. */
  hold(): () => void
  /** How many wait for an answer. */
  waiting(): number
  close(): Promise<void>
}

export async function openStorage(): Promise<Storage> {
  const objects = new Map<string, Buffer>()
  let held = Promise.resolve()
  let waiting = 0
  const server = createServer(async (request, response) => {
    waiting += 1
    await held
    waiting -= 1
    // Whoever is cut off in the middle has left nothing here.
    await serve(objects, request, response).catch(() => {})
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    objects,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    waiting: () => waiting,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

async function serve(
  objects: Map<string, Buffer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '' } = request
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  if (method !== 'GET') {
    objects.set(url, Buffer.concat(parts))
    response.writeHead(201).end()
    return
  }
  const found = objects.get(url)
  response.writeHead(found === undefined ? 404 : 200).end(found)
}
