/** A storage that answers everything and remembers what reached it. */

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerPairs } from '@latchkey/service/http/headers'

export interface Reached {
  readonly method: string
  readonly target: string
  /** Names in lower case; a repeated header has its values joined. */
  readonly headers: Readonly<Record<string, string>>
  /** Of the body, as far as it came. */
  readonly bytes: number
  readonly sha256: string
}

export interface RecordingStorage {
  readonly address: string
  readonly reached: Reached[]
  close(): Promise<void>
}

export async function openStorage(): Promise<RecordingStorage> {
  const reached: Reached[] = []
  const server = createServer(async (request, response) => {
    const { bytes, sha256 } = await digestOf(request)
    const { method = '', url: target = '' } = request
    reached.push({ method, target, headers: namedHeaders(request), bytes, sha256 })
    response.end('from the storage')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    reached,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

async function digestOf(request: IncomingMessage): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += chunk.length
      hash.update(chunk)
    }
  } catch {
    // The proxy has cut it off.
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** From the raw lines: Node itself would drop or join some. */
function namedHeaders({ rawHeaders }: IncomingMessage): Record<string, string> {
  const named: Record<string, string> = {}
  for (const [given, value] of headerPairs(rawHeaders)) {
    const name = given.toLowerCase()
    named[name] = named[name] === undefined ? value : `${named[name]}, ${value}`
  }
  return named
}
