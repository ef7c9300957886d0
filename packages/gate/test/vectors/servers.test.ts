/** The vectors over real connections: node:http, Express and fastify, each behind its adapter. */

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rounds } from '@latchkey/testing/chance'
import { countingHandler, type Handler } from '@latchkey/testing/vectors/handler'
import { complaints } from '@latchkey/testing/vectors/judge'
import { type RawClient, rawClient } from '@latchkey/testing/vectors/raw-client'
import {
  matrix,
  requests,
  requestsThrough,
  vectorGate,
  vectors,
} from '@latchkey/testing/vectors/read-vectors'
import express from 'express'
import { fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fastifyGate } from '../../src/adapters/fastify.ts'
import { admittedOf, guardNode } from '../../src/adapters/node.ts'

/** Node's own limit would answer 431 to the longest tokens that the protocol allows. */
const maxHeaderSize = 96 * 1024

interface Open {
  readonly url: string
  close(): Promise<unknown>
}

function answering({ handle }: Handler): RequestListener {
  return (request, response) => {
    response.setHeader('seen', handle(admittedOf(request)))
    response.end()
  }
}

function plain(handler: Handler): Promise<Open> {
  const guard = guardNode(vectorGate())
  const answer = answering(handler)
  return opened(
    createServer({ maxHeaderSize }, (request, response) =>
      guard(request, response, () => answer(request, response)),
    ),
  )
}

function inExpress(handler: Handler): Promise<Open> {
  const app = express()
  app.use(guardNode(vectorGate()))
  app.use(answering(handler))
  return opened(createServer({ maxHeaderSize }, app))
}

function mounted(handler: Handler): Promise<Open> {
  const app = express()
  const storage = express.Router()
  storage.use(guardNode(vectorGate()))
  storage.use(answering(handler))
  app.use('/r', storage)
  return opened(createServer({ maxHeaderSize }, app))
}

async function inFastify({ handle }: Handler): Promise<Open> {
  const app = fastify({ http: { maxHeaderSize } })
  for (const method of ['MKCOL', 'PROPFIND']) app.addHttpMethod(method, { hasBody: true })
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    payload.once('end', () => done(null))
  })
  await app.register(fastifyGate, { gate: vectorGate() })
  app.all('*', (request, reply) => reply.header('seen', handle(request.admitted)).send())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, close: () => app.close() }
}

async function opened(server: Server): Promise<Open> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, close }
}

/** With and without a mount Express is asked about a half of the combinations each, and in a soak about all. */
const halves: Readonly<Record<string, number>> = { Express: 0, 'Express under a mount': 1 }

// biome-ignore format: a table is read by its columns
describe.each([
  ['node:http',             'node',    plain],
  ['Express',               'express', inExpress],
  ['Express under a mount', 'express', mounted],
  ['fastify',               'fastify', inFastify],
] as const)('through %s', (name, way, open) => {
  const handler = countingHandler()
  let server: Open
  let client: RawClient
  beforeAll(async () => {
    server = await open(handler)
    client = rawClient(server.url)
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })

  test('every combination of token, method, place and path ends as the vectors say', async () => {
    const half = halves[name]
    const isAsked = (at: number) => half === undefined || at % rounds(2, 1) === half % rounds(2, 1)
    const share = matrix.filter((_, at) => isAsked(at))
    expect(await complaints(share, client.send, handler)).toEqual([])
  })

  test('every single request ends as the vectors say', async () => {
    const reachesMount = ({ target }: { target: string }) =>
      !name.includes('mount') || target.startsWith(`${vectors.places['own']}/`)
    const sent = requestsThrough(way).filter(reachesMount)
    expect(await complaints(sent, client.send, handler)).toEqual([])
  })

  test('what cannot reach the gate reaches no handler either', async () => {
    const before = handler.handled()
    const withheld = requests.filter(({ notThrough }) => notThrough[way] !== undefined)
    expect(withheld).not.toEqual([])
    for (const request of withheld) {
      const status = await client.send(request).then(
        (outcome) => outcome.status,
        () => 'no answer',
      )
      expect(status, request.name).not.toBe(200)
    }
    expect(handler.handled()).toBe(before)
  })
})
