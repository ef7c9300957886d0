/** A storage that keeps what it is sent and gives it back. */

import type { IncomingMessage, RequestListener } from 'node:http'

export interface SmallStorage {
  readonly listener: RequestListener
  readonly objects: Map<string, Buffer>
  /** The requests that reached it, as `GET /v1/chunks/default/abc`. */
  readonly reached: string[]
  /** The paths that it sends elsewhere, and where. */
  readonly moved: Map<string, string>
}

export function openStorage(): SmallStorage {
  const objects = new Map<string, Buffer>()
  const moved = new Map<string, string>()
  const reached: string[] = []
  const listener: RequestListener = async (request, response) => {
    const { method = '', url = '' } = request
    reached.push(`${method} ${url}`)
    const body = await bodyOf(request)
    const location = moved.get(url)
    if (location !== undefined) return response.writeHead(302, { location }).end()
    if (method !== 'GET') {
      objects.set(url, body)
      return response.writeHead(201).end()
    }
    const found = objects.get(url)
    if (found === undefined) return response.writeHead(404).end()
    return response.writeHead(200, { 'content-length': found.length }).end(found)
  }
  return { listener, objects, reached, moved }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
