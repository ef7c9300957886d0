/** A hub and a storage in one server, as small as a client can tell. */

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HubAndStorage {
  readonly url: string
  /** What was asked, as `GET /cas/busy/once with read-1`. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly text: string
}

const lifetimeSeconds = 900

export async function openHubAndStorage(): Promise<HubAndStorage> {
  const asked: string[] = []
  let issued = 0
  const issue = (scope: string, casUrl: string): Answer => {
    issued += 1
    const exp = Math.floor(Date.now() / 1000) + lifetimeSeconds
    return { status: 200, text: JSON.stringify({ accessToken: `${scope}-${issued}`, exp, casUrl }) }
  }
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const bytes = await lengthOf(request)
    const line = `${method} ${url} with ${headers.authorization?.replace('Bearer ', '')}`
    asked.push(line)
    const isFirst = asked.filter((other) => other.includes(` ${url} `)).length === 1
    const [, scope] = /storage-(read|write)-token/.exec(url) ?? []
    const { status, text } =
      scope === undefined ? answer(url, isFirst, bytes) : issue(scope, `http://${headers.host}/cas`)
    response.writeHead(status).end(text)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

function answer(url: string, isFirst: boolean, bytes: number): Answer {
  if (isFirst && url === '/cas/busy/once') return { status: 503, text: 'busy' }
  if (isFirst && url === '/cas/revoked/once') return { status: 401, text: 'revoked' }
  return { status: 200, text: `${bytes} bytes` }
}

async function lengthOf(request: IncomingMessage): Promise<number> {
  let bytes = 0
  for await (const chunk of request) bytes += chunk.length
  return bytes
}
