/** What the routes of a fastify instance get from the plugin. */

import { asAccountId } from '@latchkey/protocol'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { type FastifyInstance, fastify } from 'fastify'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { fastifyGate } from '../../src/adapters/fastify.ts'
import type { AdmittedRequest } from '../../src/index.ts'
import { testGate } from './adapters.ts'

const chunk = `${prefix}/v1/chunks/default/abc`

function opened(): FastifyInstance {
  const app = fastify()
  onTestFinished(() => app.close())
  return app
}

function get(app: FastifyInstance, url: string, authorization?: string) {
  return app.inject({ url, ...(authorization === undefined ? {} : { headers: { authorization } }) })
}

describe('a guarded route', () => {
  test('gets the grant and the path without its prefix', async () => {
    const app = opened()
    await app.register(fastifyGate, { gate: testGate() })
    app.get('*', (request) => {
      expectTypeOf(request.admitted).toEqualTypeOf<AdmittedRequest>()
      return request.admitted
    })
    const answer = await get(app, `${chunk}?x=1`, bearer())
    expect(answer.json()).toMatchObject({
      grant: { scope: 'read', repository: 'models/acme/bert', refUid: 'mainuid' },
      path: '/v1/chunks/default/abc',
      query: '?x=1',
    })
  })

  test('is guarded also when it was there before the plugin', async () => {
    const app = opened()
    let calls = 0
    app.get('*', async () => {
      calls += 1
    })
    await app.register(fastifyGate, { gate: testGate() })
    expect((await get(app, chunk)).statusCode).toBe(401)
    expect(calls).toBe(0)
  })

  test('is guarded in a plugin of its own too', async () => {
    const app = opened()
    let calls = 0
    await app.register(fastifyGate, { gate: testGate() })
    await app.register(
      async (inner) => {
        inner.get('*', async () => {
          calls += 1
        })
      },
      { prefix: '/r' },
    )
    expect((await get(app, chunk)).statusCode).toBe(401)
    expect(calls).toBe(0)
  })

  test('fails as it would without a guard', async () => {
    const app = opened()
    await app.register(fastifyGate, { gate: testGate() })
    app.get('*', async () => {
      throw new Error('the disk is full')
    })
    const answer = await get(app, chunk, bearer())
    expect(answer.statusCode).toBe(500)
    expect(answer.body).toContain('the disk is full')
  })

  test('has no grant of the request before', async () => {
    const app = opened()
    await app.register(fastifyGate, { gate: testGate() })
    app.get('*', (request) => request.admitted.grant)
    expect((await get(app, chunk, bearer({ sub: asAccountId('ada') }))).json().subject).toBe('ada')
    expect(
      (await get(app, chunk, bearer({ sub: asAccountId('bob'), jti: 'b' }))).json().subject,
    ).toBe('bob')
  })
})

test('a path without route tells a stranger nothing but that a token is required', async () => {
  const app = opened()
  await app.register(fastifyGate, { gate: testGate() })
  expect((await get(app, chunk)).statusCode).toBe(401)
  expect((await get(app, chunk, bearer())).statusCode).toBe(404)
})

test('a route of an instance beside the guarded one is not guarded', async () => {
  const app = opened()
  await app.register(async (inner) => {
    await inner.register(fastifyGate, { gate: testGate() })
    inner.get('/r/*', async () => 'guarded')
  })
  app.get('/healthz', async () => 'ok')
  expect((await get(app, '/healthz')).body).toBe('ok')
  expect((await get(app, chunk)).statusCode).toBe(401)
})

test('a gate that fails lets nobody through', async () => {
  const app = opened()
  let calls = 0
  const gate = testGate({ isRevoked: () => Promise.reject(new Error('no answer')) })
  await app.register(fastifyGate, { gate })
  app.get('*', async () => {
    calls += 1
  })
  expect((await get(app, chunk, bearer())).statusCode).toBe(500)
  expect(calls).toBe(0)
})
