/** What handlers of Requests get from their guard. */

import { bearer, keys, prefix } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type AdmittedRequest, type Grant, guardFetch, type KeySet } from '../../src/index.ts'
import { testGate } from './adapters.ts'

const url = `https://cas.example${prefix}/v1/chunks/default/abc?x=1`

function request(init: RequestInit = {}): Request {
  return new Request(url, { headers: { authorization: bearer({ scope: 'write' }) }, ...init })
}

describe('a guarded handler', () => {
  test('gets the request itself, its grant, and where it leads', async () => {
    let got: unknown
    const asked = request()
    await guardFetch(testGate(), (given, admitted) => {
      got = { isSame: given === asked, ...admitted }
      return new Response()
    })(asked)
    expect(got).toMatchObject({
      isSame: true,
      grant: { scope: 'write', repository: 'models/acme/bert', ref: 'refs/heads/main' },
      path: '/v1/chunks/default/abc',
      prefix,
      query: '?x=1',
      requiredScope: 'read',
    })
  })

  test('gets what the runtime passes beside the request', async () => {
    const guarded = guardFetch(
      testGate(),
      (_request, _admitted, environment: { bucket: string }, depth: number) =>
        new Response(`${environment.bucket} ${depth}`),
    )
    const response = await guarded(request(), { bucket: 'b' }, 2)
    expect(await response.text()).toBe('b 2')
    expectTypeOf(guarded).parameters.toEqualTypeOf<[Request, { bucket: string }, number]>()
  })

  test('can read the body of a request that its framework hands out as a proxy', async () => {
    const guarded = guardFetch(testGate(), async (given) => {
      return new Response(`${given.headers.get('x-part')} ${await given.text()}`)
    })
    const headers = { authorization: bearer({ scope: 'write' }), 'x-part': '1' }
    const asked = request({ method: 'POST', body: 'a shard', headers })
    const proxy = new Proxy(asked, {
      get(target, name) {
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    expect(await (await guarded(proxy)).text()).toBe('1 a shard')
  })

  test('can read the body, which the guard has not touched', async () => {
    const guarded = guardFetch(testGate(), async (given) => new Response(await given.text()))
    const response = await guarded(
      new Request(`https://cas.example${prefix}/v1/shards`, {
        method: 'POST',
        body: 'a shard',
        headers: { authorization: bearer({ scope: 'write' }) },
      }),
    )
    expect(await response.text()).toBe('a shard')
  })

  test('is not called for a refused request', async () => {
    let calls = 0
    const guarded = guardFetch(testGate(), () => {
      calls += 1
      return new Response()
    })
    expect((await guarded(request({ headers: {} }))).status).toBe(401)
    expect(calls).toBe(0)
  })

  test('is asked for a Grant by its type', () => {
    guardFetch(testGate(), (given, admitted) => {
      expectTypeOf(given).toEqualTypeOf<Request>()
      expectTypeOf(admitted).toEqualTypeOf<AdmittedRequest>()
      expectTypeOf(admitted.grant).toEqualTypeOf<Grant>()
      return new Response()
    })
  })

  test('keeps its own answer, also one that cannot be changed', async () => {
    const origins = ['*']
    const immutable = () => Response.redirect('https://blobs.example/a', 302)
    const guarded = guardFetch(testGate(), immutable, { origins })
    const response = await guarded(
      request({ headers: { authorization: bearer(), origin: 'https://app.example' } }),
    )
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('https://blobs.example/a')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('fails as it would without a guard', async () => {
    const guarded = guardFetch(testGate(), () => {
      throw new Error('the disk is full')
    })
    await expect(guarded(request())).rejects.toThrow('the disk is full')
  })
})

test('a gate that fails lets nobody through', async () => {
  let calls = 0
  const gate = testGate({ isRevoked: () => Promise.reject(new Error('no answer')) })
  const guarded = guardFetch(gate, () => {
    calls += 1
    return new Response()
  })
  const status = await guarded(request()).then(
    (response) => response.status,
    () => 'failed',
  )
  expect(status).not.toBe(200)
  expect(calls).toBe(0)
})

test('a platform that cannot verify is no forged token: the request gets 500, and the log says why', async () => {
  const [key] = keys.values()
  if (key === undefined) return expect.unreachable()
  const publicKey = { asymmetricKeyDetails: { namedCurve: 'prime256v1' }, export: () => ({}) }
  const broken: KeySet = new Map([[key.kid, { ...key, publicKey: publicKey as never }]])
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const guarded = guardFetch(testGate({ keys: broken }), () => new Response(), { onFailure })
  const response = await guarded(request())
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'internal_error' }])
  expect(String(failures)).toContain('this platform cannot verify a signature of ES256')
})

test('forged tokens are counted where the runtime says the client is', async () => {
  const gate = testGate({ failuresPerMinute: 2 })
  const addressOf = (given: Request) => given.headers.get('x-client') ?? undefined
  const guarded = guardFetch(gate, () => new Response(), { addressOf })
  const statusOfForged = async (client: string) => {
    const authorization = `${bearer({ jti: crypto.randomUUID() }).slice(0, -86)}${'A'.repeat(86)}`
    return (await guarded(request({ headers: { authorization, 'x-client': client } }))).status
  }
  expect(await statusOfForged('192.0.2.1')).toBe(401)
  expect(await statusOfForged('192.0.2.1')).toBe(401)
  expect(await statusOfForged('192.0.2.1')).toBe(429)
  expect(await statusOfForged('192.0.2.2')).toBe(401)
})
