/** A storage as the forge sees one: files by place, told of by SHA-256, given and taken whole or in part. */

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeStorage {
  readonly url: string
  /** Shows the bytes to tokens of this `casUrl` alone. */
  put(casUrl: string, bytes: Buffer): Stored
  /** What was asked for, in order. */
  readonly asked: readonly string[]
  /** The same before the body has come. */
  readonly begun: readonly string[]
  /** Done before an answer is given. */
  meanwhile: (asked: string) => Promise<void>
  /** Refuses every token from now on. */
  close(): Promise<void>
  isRefusing: boolean
  /** Stores what comes, whatever its digest should be. */
  isCareless: boolean
}

export interface Stored {
  readonly sha256: string
  readonly hash: string
  readonly bytes: Buffer
}

export async function startFakeStorage(): Promise<FakeStorage> {
  const places = new Map<string, Map<string, Stored>>()
  const asked: string[] = []
  const begun: string[] = []
  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const { url = '', method = '', headers } = request
    const [, place = '', path = ''] = /^(\/r\/[^/]+\/[^/]+)(\/.*)$/.exec(url) ?? []
    asked.push(`${method} ${path}`)
    const send = (status: number, body: string | Buffer = '', more: object = {}) =>
      response.writeHead(status, { ...more }).end(body)
    if (fake.isRefusing || !headers.authorization?.startsWith('Bearer ')) return send(401)
    const here = [...(places.get(place)?.values() ?? [])]
    const [, sha256, size] = /by-sha256\/([0-9a-f]{64})\?size=(\d+)$/.exec(path) ?? []
    if (sha256 !== undefined) {
      const found = here.find((one) => one.sha256 === sha256 && String(one.bytes.length) === size)
      return found ? send(200, JSON.stringify({ fileHash: found.hash })) : send(404)
    }
    const found = here.find(({ hash }) => path === `/v1/files/${hash}`)
    if (path === '/v1/shards/adopt') return send(200, '{"result":0}')
    if (path === '/v1/files' && method === 'PUT') {
      const digest = createHash('sha256').update(body).digest('base64')
      if (headers['repr-digest'] !== `sha-256=:${digest}:` && !fake.isCareless) return send(400)
      const stored = fake.put(fake.url.replace(/\/r\/.*/, place), body)
      return send(200, JSON.stringify({ ...stored, bytes: undefined, size: body.length }))
    }
    if (found === undefined) return send(404)
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    if (start === undefined) return send(200, found.bytes)
    return send(206, found.bytes.subarray(Number(start), Number(end) + 1))
  }
  const server = createServer((request, response) => {
    begun.push(`${request.method} ${request.url}`)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.once('end', async () => {
      await fake.meanwhile(`${request.method} ${request.url}`)
      answer(request, response, Buffer.concat(parts))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const fake: FakeStorage = {
    ...{
      url: `http://127.0.0.1:${port}/r/{repo}/{ref}`,
      asked,
      begun,
      isRefusing: false,
      isCareless: false,
    },
    meanwhile: async () => {},
    put(casUrl, bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const hash = createHash('sha256').update(`a file ${sha256}`).digest('hex')
      const place = new URL(casUrl).pathname
      const stored = { sha256, hash, bytes }
      places.set(place, new Map(places.get(place)).set(sha256, stored))
      return stored
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}
