/** What node:http and Express handlers get from their guard. */

import { IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { serving as openServer } from '@latchkey/testing/gate/gateway'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import type { Sent } from '@latchkey/testing/vectors/read-vectors'
import express, { type ErrorRequestHandler } from 'express'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { admittedOf, guardNode } from '../../src/adapters/node.ts'
import type { AdmittedRequest } from '../../src/index.ts'
import { serving, testGate } from './adapters.ts'

function asked(method: string, path: string, scope: 'read' | 'write' = 'write'): Sent {
  return { method, target: `${prefix}${path}`, headers: [['Authorization', bearer({ scope })]] }
}

const chunk = '/v1/chunks/default/abc'

describe('admittedOf', () => {
  test('throws for a request that has not passed the gate', () => {
    const request = new IncomingMessage(new Socket())
    expect(() => admittedOf(request)).toThrow('has not passed the gate')
  })

  test('throws where the guard stands after the handler', async () => {
    const app = express()
    app.use((request, response) => void response.json(admittedOf(request)))
    app.use(guardNode(testGate()))
    const fails: ErrorRequestHandler = (error, _request, response, _next) =>
      void response.status(500).send(String(error))
    app.use(fails)
    const send = await serving(app)
    const { status, body } = await send(asked('GET', chunk))
    expect(status).toBe(500)
    expect(body).toContain('put guardNode before the handler')
  })

  test('gives the grant and the path without its prefix', async () => {
    const guard = guardNode(testGate())
    const send = await serving((request, response) =>
      guard(request, response, () => {
        const admitted = admittedOf(request)
        expectTypeOf(admitted).toEqualTypeOf<AdmittedRequest>()
        response.end(JSON.stringify(admitted))
      }),
    )
    expect(JSON.parse((await send(asked('GET', `${chunk}?x=1`))).body)).toMatchObject({
      grant: { scope: 'write', repository: 'models/acme/bert', refUid: 'mainuid' },
      path: chunk,
      query: '?x=1',
      prefix,
    })
  })
})

describe('in Express', () => {
  test('the whole path is judged where the gate is mounted below one', async () => {
    const app = express()
    const storage = express.Router()
    storage.use(guardNode(testGate()))
    storage.post('/:repository/:ref/v1/telemetry', (request, response) => {
      response.json({ path: admittedOf(request).path, url: request.url })
    })
    app.use('/r', storage)
    const send = await serving(app)
    const { status, body } = await send(asked('POST', '/v1/telemetry', 'read'))
    expect([status, JSON.parse(body)]).toEqual([
      200,
      { path: '/v1/telemetry', url: '/bertuid/mainuid/v1/telemetry' },
    ])
  })

  test('a mount that ignores case does not widen the prefix', async () => {
    const app = express()
    app.use('/r', guardNode(testGate()), (_request, response) => void response.end('handled'))
    const send = await serving(app)
    const request = asked('GET', chunk)
    const { status } = await send({ ...request, target: request.target.replace('/r/', '/R/') })
    expect(status).toBe(404)
  })

  // conformance: Attacks / 13. An attacker makes the checked path differ from the routed path
  test('a URL that was rewritten before the gate is judged as it will be routed', async () => {
    const app = express()
    app.use((request, _response, next) => {
      request.url = request.url.replace('/upload', '/v1/shards')
      next()
    })
    app.use(guardNode(testGate()))
    app.post('/r/:repository/:ref/v1/shards', (_request, response) => void response.end('written'))
    const send = await serving(app)
    expect((await send(asked('POST', '/upload', 'read'))).status).toBe(403)
  })

  test('an error of a handler reaches the error handler of the app', async () => {
    const app = express()
    app.use(guardNode(testGate()))
    app.use(() => {
      throw new Error('the disk is full')
    })
    const fails: ErrorRequestHandler = (error, _request, response, _next) =>
      void response.status(507).send(error.message)
    app.use(fails)
    const send = await serving(app)
    const { status, body } = await send(asked('GET', chunk))
    expect([status, body]).toEqual([507, 'the disk is full'])
  })
})

describe('a gate that fails lets nobody through', () => {
  const failing = () => testGate({ isRevoked: () => Promise.reject(new Error('no answer')) })

  test('in Express', async () => {
    let calls = 0
    const app = express()
    app.use(guardNode(failing()))
    app.use((_request, response) => {
      calls += 1
      response.end()
    })
    const fails: ErrorRequestHandler = (_error, _request, response, _next) =>
      void response.status(500).end()
    app.use(fails)
    const send = await serving(app)
    expect((await send(asked('GET', chunk))).status).toBe(500)
    expect(calls).toBe(0)
  })

  test('in node:http, where nobody looks at what next is told', async () => {
    let calls = 0
    const guard = guardNode(failing())
    const send = await serving((request, response) =>
      guard(request, response, () => {
        calls += 1
        response.end()
      }),
    )
    expect((await send(asked('GET', chunk))).status).toBe(500)
    expect(calls).toBe(0)
  })
})

test('a refused upload is not read on as the next request', async () => {
  const guard = guardNode(testGate())
  let calls = 0
  const { url } = await openServer((request, response) =>
    guard(request, response, () => {
      calls += 1
      response.end()
    }),
  )
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const received = new Promise<string>((done) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.once('close', () => done(text))
  })
  const smuggled = `GET ${prefix}${chunk} HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer()}\r\n\r\n`
  socket.write(`POST ${prefix}/shard HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n`)
  setTimeout(() => socket.write(smuggled), 50)
  const answers = await received
  expect(answers).toMatch(/^HTTP\/1\.1 401 /)
  expect(answers).toMatch(/\r\nConnection: close\r\n/i)
  expect(answers.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(calls).toBe(0)
})
