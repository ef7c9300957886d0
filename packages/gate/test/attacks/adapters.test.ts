import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerPairs } from '@latchkey/service/http/headers'
import { ofTheseTests } from '@latchkey/testing/attacks/storage-setting'
import { type Attempt, withstands } from '@latchkey/testing/attacks/withstands'
import { type Asking, ask } from '@latchkey/testing/http/ask'
import express from 'express'
import { fastify } from 'fastify'
import { afterAll, beforeAll, describe } from 'vitest'
import { fastifyGate } from '../../src/adapters/fastify.ts'
import { guardNode } from '../../src/adapters/node.ts'
import { guardFetch } from '../../src/index.ts'
import { guardHono, testGate } from '../adapters/adapters.ts'

const reached: string[] = []

function serve(target: string): string {
  reached.push(target)
  return 'served'
}

function inExpress(): Server {
  const app = express()
  app.use(guardNode(testGate()))
  app.use((request, response) => void response.end(serve(request.url)))
  return createServer(app)
}

async function inFastify(): Promise<Server> {
  const app = fastify()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  await app.register(fastifyGate, { gate: testGate() })
  app.all('*', (request, reply) => reply.send(serve(request.url)))
  await app.ready()
  return app.server
}

describe.each([
  ['express', inExpress],
  ['fastify', inFastify],
] as const)('the adapter for %s', (way, open) => {
  let server: Server
  beforeAll(async () => {
    server = await open()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  })
  afterAll(() => server.close().closeAllConnections())

  withstands(
    way,
    () => ofTheseTests,
    async (asking): Promise<Attempt> => {
      const { port } = server.address() as AddressInfo
      const answer = await ask(`http://127.0.0.1:${port}`, asking)
      return { answer, reached: reached.splice(0) }
    },
  )
})

describe.each([
  ['fetch', guardFetch<[]>],
  ['hono', guardHono],
] as const)('the adapter for %s', (_, guard) => {
  const handle = guard(testGate(), (request) => new Response(serve(request.url)))

  withstands(
    'fetch',
    () => ofTheseTests,
    async (asking): Promise<Attempt> => {
      const answer = await handle(requestOf(asking))
      return { answer, reached: reached.splice(0) }
    },
  )
})

function requestOf({ method = 'GET', path, headers = [], host = 'cas.example' }: Asking): Request {
  return new Request(`https://${host}${path}`, { method, headers: headerPairs(headers) })
}
