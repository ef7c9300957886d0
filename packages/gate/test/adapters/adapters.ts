/** Every adapter with one small app behind it, sent to in one way. */

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openGateway } from '@latchkey/testing/gate/gateway'
import { casUrl, issuer, keys, movedClock } from '@latchkey/testing/gate/storage-tokens'
import type { Outcome, Send } from '@latchkey/testing/vectors/judge'
import { outcomeOf } from '@latchkey/testing/vectors/outcome-of'
import { rawClient } from '@latchkey/testing/vectors/raw-client'
import type { Sent } from '@latchkey/testing/vectors/read-vectors'
import express from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { fastifyGate } from '../../src/adapters/fastify.ts'
import { type GateEnv, honoGate } from '../../src/adapters/hono.ts'
import { guardNode } from '../../src/adapters/node.ts'
import {
  type AdmittedRequest,
  createGate,
  type Gate,
  type GateOptions,
  guardFetch,
} from '../../src/index.ts'

export interface Guarded {
  readonly send: Send
  /** How often the app was reached. */
  readonly handled: () => number
}

export type OpenAdapter = (origins?: readonly string[]) => Promise<Guarded>

export function testGate(change: Partial<GateOptions> = {}): Gate {
  const clock = movedClock().now
  return createGate({ keys, issuer, casUrl, clock, ...change } as GateOptions)
}

/** By name; all of them answer 200 with `hello`. */
export const adapters: Readonly<Record<string, OpenAdapter>> = {
  async fetch(origins = []) {
    const app = hello()
    return { ...app, send: inProcess(guardFetch(testGate(), app.respond, { origins })) }
  },
  async hono(origins = []) {
    const app = hello()
    return { ...app, send: inProcess(guardHono(testGate(), app.respond, { origins })) }
  },
  async 'node:http'(origins = []) {
    const app = hello()
    const guard = guardNode(testGate(), { origins })
    return {
      ...app,
      send: await serving((request, response) =>
        guard(request, response, () => app.listen(request, response)),
      ),
    }
  },
  async express(origins = []) {
    const app = hello()
    const server = express()
    server.use(guardNode(testGate(), { origins }))
    server.use(app.listen)
    return { ...app, send: await serving(server) }
  },
  async fastify(origins = []) {
    const app = hello()
    const server = fastify()
    onTestFinished(() => server.close())
    await server.register(fastifyGate, { gate: testGate(), origins })
    server.get('*', (_request, reply) => reply.send(app.text()))
    return { ...app, send: sending(await server.listen({ host: '127.0.0.1', port: 0 })) }
  },
  async gateway(origins = []) {
    const app = hello()
    const { gateway } = await openGateway(app.listen, { cors: { origins } })
    return { ...app, send: sending(gateway.url) }
  },
}

/** The same as `guardFetch` for a Hono app with one handler behind the middleware. */
export const guardHono: typeof guardFetch<[]> = (
  gate,
  handler,
  { publicHandler, addressOf: _, ...options } = {},
) => {
  const app = new Hono<GateEnv>()
  app.use(honoGate(gate, options))
  app.all('*', ({ req, get }) => {
    const admitted: AdmittedRequest | undefined = get('admitted')
    if (admitted !== undefined) return handler(req.raw, admitted)
    return publicHandler?.(req.raw) ?? new Response('public')
  })
  return async (request) => app.fetch(request)
}

function hello() {
  let calls = 0
  const text = () => {
    calls += 1
    return 'hello'
  }
  const listen: RequestListener = (_request, response) => {
    response.appendHeader('Vary', 'Accept')
    response.end(text())
  }
  return { text, listen, respond: () => new Response(text()), handled: () => calls }
}

/** Listens on a free port until the test is over. */
export async function serving(listener: RequestListener): Promise<Send> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  onTestFinished(() => void server.close().closeAllConnections())
  return sending(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

export function sending(url: string): Send {
  const client = rawClient(url)
  onTestFinished(() => client.close())
  return client.send
}

function inProcess(handle: (request: Request) => Promise<Response>): Send {
  return async ({ method, target, headers }: Sent): Promise<Outcome> => {
    const lines = headers.map(([name, value]): [string, string] => [name, value])
    const url = `https://cas.example${target}`
    return outcomeOf(await handle(new Request(url, { method, headers: lines })))
  }
}
