/** What a handler still sends under a token that was taken back does not arrive. */

import type { RequestListener, ServerResponse } from 'node:http'
import { serving } from '@latchkey/testing/gate/gateway'
import {
  type MemoryRevocations,
  memoryRevocations,
} from '@latchkey/testing/gate/memory-revocations'
import { prefix } from '@latchkey/testing/gate/storage-tokens'
import { dial, head } from '@latchkey/testing/http/raw-line'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { fastifyGate } from '../../src/adapters/fastify.ts'
import { guardNode } from '../../src/adapters/node.ts'
import type { Gate } from '../../src/index.ts'
import { testGate } from './adapters.ts'

type Serve = (gate: Gate, handle: (response: ServerResponse) => void) => Promise<RequestListener>

const servers: Readonly<Record<string, Serve>> = {
  async 'node:http'(gate, handle) {
    const guard = guardNode(gate)
    return (request, response) => guard(request, response, () => handle(response))
  },
  async fastify(gate, handle) {
    const app = fastify()
    await app.register(fastifyGate, { gate })
    app.get('*', (_request, reply) => {
      reply.hijack()
      handle(reply.raw)
    })
    await app.ready()
    return app.routing
  },
}

async function halfDone(serve: Serve, revocations: MemoryRevocations) {
  const begun = Promise.withResolvers<ServerResponse>()
  const { url } = await serving(
    await serve(testGate({ revocations }), (response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('first')
      begun.resolve(response)
    }),
  )
  const client = await dial(url)
  client.say(head(`GET ${prefix}/v1/chunks/default/abc`))
  await client.hears('first')
  return { client, response: await begun.promise }
}

test.each(Object.entries(servers))('%s: the connection is reset', async (_, serve) => {
  const revocations = memoryRevocations()
  const { client } = await halfDone(serve, revocations)
  revocations.cut({ kind: 'account', id: 'ada-id' })
  await revocations.refresh()
  await client.toTheEnd()
  expect(client.broke()).toBe('ECONNRESET')
})

test.each(Object.entries(servers))(
  '%s: a connection is kept when its answer is over',
  async (_, serve) => {
    const revocations = memoryRevocations()
    const { client, response } = await halfDone(serve, revocations)
    response.end('after')
    await client.hears('firstafter')
    revocations.cut({ kind: 'account', id: 'ada-id' })
    await revocations.refresh()
    client.say(head(`GET ${prefix}/v1/chunks/default/abc`))
    await client.hears('HTTP/1.1 401')
  },
)
