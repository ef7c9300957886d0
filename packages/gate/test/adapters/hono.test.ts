/** The middleware gives handlers of a Hono app the grant, and rejects all other requests. */

import { memoryRevocations } from '@latchkey/testing/gate/published-revocations'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { Hono } from 'hono'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type GateEnv, honoGate } from '../../src/adapters/hono.ts'
import type { AdmittedRequest, Gate, Grant } from '../../src/index.ts'
import { testGate } from './adapters.ts'

const url = `https://cas.example${prefix}/v1/chunks/default/abc`
const headers = { authorization: bearer({ scope: 'write' }) }

function guarded(gate: Gate = testGate()): Hono<GateEnv> {
  const app = new Hono<GateEnv>()
  app.use(honoGate(gate))
  return app
}

describe('a handler behind honoGate', () => {
  test('gets the grant and the admission, with their types', async () => {
    const app = guarded()
    app.get('/r/:repo/:ref/v1/*', (context) => {
      expectTypeOf(context.get('grant')).toEqualTypeOf<Grant>()
      expectTypeOf(context.var.admitted).toEqualTypeOf<AdmittedRequest>()
      const { path } = context.get('admitted')
      return context.json({ path, repository: context.var.grant.repository })
    })
    const response = await app.request(url, { headers })
    const seen = { path: '/v1/chunks/default/abc', repository: 'models/acme/bert' }
    expect(await response.json()).toEqual(seen)
    expect((await app.request(url)).status).toBe(401)
  })

  test('reads a body, and responds with its own status and headers', async () => {
    const app = guarded()
    app.put('*', async ({ req, body }) => body(await req.text(), 201, { 'X-Own': 'yes' }))
    const response = await app.request(url, { method: 'PUT', body: 'a file', headers })
    expect([response.status, await response.text()]).toEqual([201, 'a file'])
    expect(response.headers.get('x-own')).toBe('yes')
    expect(response.headers.get('content-type')).toBe('text/plain;charset=UTF-8')
  })

  test('fails as it would without a guard', async () => {
    const app = guarded()
    app.get('*', () => {
      throw new Error('the disk is full')
    })
    app.onError((error, context) => context.text(error.message, 507))
    const response = await app.request(url, { headers })
    expect([response.status, await response.text()]).toEqual([507, 'the disk is full'])
    expect((await guarded().request(url, { headers })).status).toBe(404)
  })

  test('has no grant at a public route', async () => {
    const app = guarded(testGate({ publicRoutes: [{ path: '/healthz' }] }))
    app.get('/healthz', ({ var: variables, json }) => json(Object.keys(variables)))
    const response = await app.request('https://cas.example/healthz', { headers })
    expect(await response.json()).toEqual([])
  })
})

test('a route of another part of the app is guarded, and one before the middleware is not', async () => {
  const app = new Hono<GateEnv>()
  app.get('/version', ({ text }) => text('1'))
  app.use(honoGate(testGate()))
  const part = new Hono<GateEnv>()
  part.get('/:ref/*', ({ text, get }) => text(get('grant').subject))
  app.route('/r/:repo', part)
  expect(await (await app.request('https://cas.example/version')).text()).toBe('1')
  expect((await app.request(url)).status).toBe(401)
  expect(await (await app.request(url, { headers })).text()).toBe('ada-id')
})

test('a handler that responds after its token was revoked does not replace the refusal', async () => {
  const revocations = memoryRevocations()
  const [called, released, responded] = [0, 1, 2].map(() => Promise.withResolvers<void>())
  const app = new Hono<GateEnv>()
  // Middleware before the gate still works while the handler ends.
  app.use(async (_context, next) => {
    await next()
    released?.resolve()
    await responded?.promise
  })
  app.use(honoGate(testGate({ revocations })))
  app.get('*', async ({ text }) => {
    called?.resolve()
    await released?.promise
    queueMicrotask(() => setTimeout(() => responded?.resolve()))
    return text('too late')
  })
  const responding = app.request(url, { headers })
  await called?.promise
  revocations.cut({ kind: 'account', id: 'ada-id' })
  await revocations.refresh()
  const response = await responding
  expect([response.status, await response.json()]).toMatchObject([
    401,
    { code: 'storage_token_invalid' },
  ])
})

test('forged tokens are counted at the address that the context gives', async () => {
  const app = new Hono<GateEnv>()
  const addresses: (string | undefined)[] = []
  const gate = testGate()
  const recording: Gate = {
    ...gate,
    check(request) {
      addresses.push(request.address)
      return gate.check(request)
    },
  }
  app.use(honoGate(recording, { addressOf: ({ req }) => req.header('X-Real-Ip') }))
  await app.request(url, { headers: { 'X-Real-Ip': '192.0.2.7' } })
  expect(addresses).toEqual(['192.0.2.7'])
})
