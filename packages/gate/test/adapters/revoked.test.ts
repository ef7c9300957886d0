/** Every adapter cuts transfers of a token that is revoked while they run, and tells the handler. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { serving } from '@latchkey/testing/gate/gateway'
import {
  type MemoryRevocations,
  memoryRevocations,
} from '@latchkey/testing/gate/published-revocations'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { dial, head } from '@latchkey/testing/http/raw-line'
import express from 'express'
import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { fastifyGate } from '../../src/adapters/fastify.ts'
import { admittedOf, guardNode } from '../../src/adapters/node.ts'
import {
  type AdmittedRequest,
  type Gate,
  guardFetch,
  RequestAbortedError,
} from '../../src/index.ts'
import { guardHono, testGate } from './adapters.ts'

type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  admitted: AdmittedRequest,
) => void

type Serve = (gate: Gate, handle: Handle) => Promise<RequestListener>

const servers: Readonly<Record<string, Serve>> = {
  async 'node:http'(gate, handle) {
    const guard = guardNode(gate)
    return (request, response) =>
      guard(request, response, () => handle(request, response, admittedOf(request)))
  },
  async express(gate, handle) {
    const app = express()
    app.use(guardNode(gate))
    app.use((request, response) => handle(request, response, admittedOf(request)))
    return app
  },
  async fastify(gate, handle) {
    const app = fastify()
    await app.register(fastifyGate, { gate })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    app.all('*', (request, reply) => {
      reply.hijack()
      handle(request.raw, reply.raw, request.admitted)
    })
    await app.ready()
    return app.routing
  },
}

/** A download of which the first half has gone, or an upload of which the first half has come. */
async function halfDone(serve: Serve, line: string, revocations: MemoryRevocations) {
  const begun = Promise.withResolvers<{ response: ServerResponse; admitted: AdmittedRequest }>()
  const ended = Promise.withResolvers<unknown>()
  const { url } = await serving(
    await serve(testGate({ revocations }), (request, response, admitted) => {
      if (line.startsWith('GET')) {
        response.writeHead(200, { 'Content-Length': '10' }).write('first')
        begun.resolve({ response, admitted })
        return
      }
      request.once('data', () => begun.resolve({ response, admitted }))
      pipeline(request, async (parts: AsyncIterable<unknown>) => {
        for await (const _ of parts);
      }).then(() => ended.resolve('whole'), ended.resolve)
    }),
  )
  const client = await dial(url)
  client.say(head(line, line.startsWith('GET') ? [] : ['Content-Length: 10']))
  if (line.startsWith('GET')) await client.hears('first')
  else client.say('first')
  return { client, ...(await begun.promise), ended: ended.promise }
}

const download = `GET ${prefix}/v1/chunks/default/abc`
const upload = `POST ${prefix}/v1/xorbs/default/abc`

async function revoke(revocations: MemoryRevocations): Promise<void> {
  revocations.cut({ kind: 'account', id: 'ada-id' })
  await revocations.refresh()
}

describe.each(Object.entries(servers))('%s', (_name, serve) => {
  test('a running download of a revoked token is cut, and its handler is told', async () => {
    const revocations = memoryRevocations()
    const { client, admitted } = await halfDone(serve, download, revocations)
    expect(admitted.signal.aborted).toBe(false)
    await revoke(revocations)
    await client.toTheEnd()
    expect(client.broke()).toBe('ECONNRESET')
    expect(admitted.signal.reason).toBeInstanceOf(RequestAbortedError)
    expect(admitted.signal.reason).toMatchObject({ refusal: { reason: 'revoked' } })
  })

  test('a running upload of a revoked token is cut, and its handler is told', async () => {
    const revocations = memoryRevocations()
    const { client, admitted, ended } = await halfDone(serve, upload, revocations)
    await revoke(revocations)
    expect(await ended).toBeInstanceOf(Error)
    expect(admitted.signal.aborted).toBe(true)
    await client.toTheEnd()
    expect(client.broke()).toBe('ECONNRESET')
  })

  test('an upload of a revoked token is cut although the handler has responded', async () => {
    const revocations = memoryRevocations()
    const { client, response, admitted, ended } = await halfDone(serve, upload, revocations)
    response.writeHead(202, { 'Content-Length': '2' }).end('ok')
    await client.hears('ok')
    await expect.poll(() => response.closed).toBe(true)
    await revoke(revocations)
    expect(await ended).toBeInstanceOf(Error)
    expect(admitted.signal.aborted).toBe(true)
    await client.toTheEnd()
    expect(client.broke()).toBe('ECONNRESET')
  })

  test('a connection is kept when its answer is over', async () => {
    const revocations = memoryRevocations()
    const { client, response, admitted } = await halfDone(serve, download, revocations)
    response.end('after')
    await client.hears('firstafter')
    await revoke(revocations)
    client.say(head(download))
    await client.hears('HTTP/1.1 401')
    expect(admitted.signal.aborted).toBe(false)
  })
})

/** Guarded handlers of Requests: one alone, and one behind the middleware of Hono. */
const handlers: Readonly<Record<string, typeof guardFetch<[]>>> = {
  fetch: guardFetch,
  hono: guardHono,
}

function asked(method: string, body?: ReadableStream): Request {
  const path = method === 'GET' ? download : upload
  const headers = { authorization: bearer({ scope: 'write' }) }
  const sent = body === undefined ? {} : { body, duplex: 'half' as const }
  return new Request(`https://cas.example${path.split(' ')[1]}`, { method, headers, ...sent })
}

/** A body of which the first part is there and no other comes; says why its reader left. */
function firstPart() {
  const left = Promise.withResolvers<unknown>()
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('first')),
    cancel: left.resolve,
  })
  return { stream, left: left.promise }
}

describe.each(Object.entries(handlers))('%s', (_name, guard) => {
  test('a running download of a revoked token is cut, and its handler is told', async () => {
    const revocations = memoryRevocations()
    const { stream, left } = firstPart()
    let signal: AbortSignal | undefined
    const guarded = guard(testGate({ revocations }), (_request, admitted) => {
      signal = admitted.signal
      return new Response(stream, { headers: { 'Content-Length': '10' } })
    })
    const response = await guarded(asked('GET'))
    expect(response.headers.get('content-length')).toBe('10')
    const reader = response.body?.getReader()
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('first')
    await revoke(revocations)
    await expect(reader?.read()).rejects.toBeInstanceOf(RequestAbortedError)
    expect(await left).toBe(signal?.reason)
  })

  test('a running upload of a revoked token is cut and refused, and its handler is told', async () => {
    const revocations = memoryRevocations()
    const { stream, left } = firstPart()
    const reading = Promise.withResolvers<void>()
    const failed = Promise.withResolvers<unknown>()
    const guarded = guard(testGate({ revocations }), async (request, { signal }) => {
      const reader = request.body?.getReader()
      await reader?.read()
      reading.resolve()
      await reader?.read().catch((error: unknown) => failed.resolve(error === signal.reason))
      return new Response('written')
    })
    const responding = guarded(asked('POST', stream))
    await reading.promise
    await revoke(revocations)
    const response = await responding
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { detail: expect.stringContaining('has been revoked') },
    ])
    expect(await failed.promise).toBe(true)
    expect(await left).toBeInstanceOf(RequestAbortedError)
  })

  test.each([
    ['no body', null],
    ['a body', 'ok'],
  ])(
    'an upload of a revoked token is cut although the handler has responded with %s',
    async (_, body) => {
      const revocations = memoryRevocations()
      const { stream, left } = firstPart()
      const failed = Promise.withResolvers<unknown>()
      const guarded = guard(testGate({ revocations }), (request, { signal }) => {
        const reader = request.body?.getReader()
        const readAll = async () => {
          for (;;) await reader?.read()
        }
        readAll().catch((error: unknown) => failed.resolve(error === signal.reason))
        return new Response(body, { status: 202 })
      })
      const response = await guarded(asked('POST', stream))
      expect([response.status, await response.text()]).toEqual([202, body ?? ''])
      await nextTurn()
      await revoke(revocations)
      expect(await failed.promise).toBe(true)
      expect(await left).toBeInstanceOf(RequestAbortedError)
    },
  )

  test('a handler that waits for something else is not waited for', async () => {
    const revocations = memoryRevocations()
    const called = Promise.withResolvers<void>()
    const guarded = guard(testGate({ revocations }), (_request, { signal }) => {
      called.resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject('late')))
    })
    const responding = guarded(asked('GET'))
    await called.promise
    await revoke(revocations)
    expect((await responding).status).toBe(401)
  })

  test('a watch ends with the body of the response, read or left', async () => {
    const gate = testGate({ revocations: memoryRevocations() })
    let watched = 0
    const counting: Gate = {
      ...gate,
      watch(grant, cut) {
        watched += 1
        const end = gate.watch(grant, cut)
        return () => {
          watched -= 1
          end()
        }
      },
    }
    const endless = guard(counting, () => new Response(firstPart().stream))
    await (await endless(asked('GET'))).body?.cancel()
    const whole = guard(counting, () => new Response('whole'))
    expect(await (await whole(asked('GET'))).text()).toBe('whole')
    await guard(counting, () => new Response(null))(asked('GET'))
    await guard(counting, () => new Response(null))(asked('POST', firstPart().stream))
    const reads = guard(counting, async (request) => new Response(await request.text()))
    expect(await (await reads(asked('POST', new Blob(['up']).stream()))).text()).toBe('up')
    await expect.poll(() => watched).toBe(0)
  })
})
