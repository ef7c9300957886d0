/** What a table of routes answers, whatever its handlers do. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { isRefusal, refuse } from '@latchkey/protocol'
import { inject } from '@latchkey/testing/http/inject'
import { expect, onTestFinished, test } from 'vitest'
import { readJsonBody } from '../src/http/bodies.ts'
import {
  type Handle,
  type Reply,
  type Route,
  type ServeRoutesDeps,
  serveRoutes,
} from '../src/http/routes.ts'
import { pooledRandom } from '../src/machine/random.ts'

const hello: Handle = () => ({ body: '{"hello":"é"}' })

function open(routes: readonly Route[], change: Partial<ServeRoutesDeps> = {}) {
  const failures: [unknown, string][] = []
  const serve = serveRoutes(routes, {
    name: 'shop',
    randomBytes: pooledRandom(),
    notFound: () => refuse('not_found', 'The shop has no such shelf.'),
    logFailure: (error, requestId) => failures.push([error, requestId]),
    ...change,
  })
  const call = (url: string, method = 'GET', headers = {}) =>
    inject(serve, { url, method, headers })
  return { serve, call, failures }
}

function openOne(handle: Handle, change: Partial<ServeRoutesDeps> = {}) {
  return open([{ method: 'GET', path: '/', handle }], change)
}

test.each(['/', '/shelf/', '/shelf/1', '/Shelf', '/%73helf', '/shelf%2F', '/%ZZ', '/shelf#x', '*'])(
  'a path without a route is not found: %s',
  async (path) => {
    const { call } = open([{ method: 'GET', path: '/shelf', handle: hello }])
    const { statusCode, json } = await call(path)
    expect([statusCode, json().detail]).toEqual([404, 'The shop has no such shelf.'])
  },
)

test.each(['/shelf', '/shelf?x=%ZZ', 'http://shop.example/shelf', '/shelf?'])(
  'a path is matched without its query and authority: %s',
  async (path) => {
    const { call } = open([{ method: 'GET', path: '/shelf', handle: hello }])
    expect((await call(path)).statusCode).toBe(200)
  },
)

test('a route that ends with {rest...} serves the path before it and every path below', async () => {
  const { call } = open([
    {
      method: 'ANY',
      path: '/shelf/{rest...}',
      handle: ({ request }) => ({ body: `"${request.url}"` }),
    },
  ])
  for (const path of ['/shelf', '/shelf/', '/shelf/a/%ZZ', '/shelf?x']) {
    expect((await call(path, 'PROPFIND')).body, path).toBe(`"${path}"`)
  }
  for (const path of ['/shelfs', '/', '/x/shelf/a']) {
    expect((await call(path)).statusCode, path).toBe(404)
  }
})

test('a method without a route is refused and told what is allowed', async () => {
  const { call } = open([
    { method: 'GET', path: '/shelf', handle: hello },
    { method: 'PUT', path: '/shelf', handle: hello },
  ])
  for (const method of ['POST', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND']) {
    const { statusCode, headers } = await call('/shelf', method, { 'content-type': 'nonsense' })
    expect([statusCode, headers.allow], method).toEqual([405, 'GET, HEAD, PUT'])
  }
  expect((await call('/shelf', 'PUT')).statusCode).toBe(200)
})

test('HEAD is answered like GET, without the body', async () => {
  const { call } = openOne(hello)
  const [head, get] = [await call('/', 'HEAD'), await call('/')]
  expect([head.statusCode, head.body]).toEqual([200, ''])
  expect(head.headers['content-length']).toBe('14')
  expect(get.headers['content-length']).toBe('14')
})

test('an answer is JSON, has a request id and is kept by no cache, unless its handler says otherwise', async () => {
  const { headers } = await openOne(hello).call('/')
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[a-z2-7]{26}$/),
  })
  const other: Reply = { status: 202, contentType: 'text/plain', cacheControl: 'public', body: 'x' }
  const told = await openOne(() => other).call('/')
  expect(told.statusCode).toBe(202)
  expect(told.headers).toMatchObject({ 'content-type': 'text/plain', 'cache-control': 'public' })
})

test('answers and refusals carry the headers of the server', async () => {
  const { call } = openOne(hello, { headersFor: ({ method }) => ['X-Method', String(method)] })
  for (const [path, method] of [
    ['/', 'GET'],
    ['/', 'PUT'],
    ['/x', 'GET'],
  ] as const) {
    expect((await call(path, method)).headers['x-method'], path).toBe(method)
  }
})

test('a refusal is plain JSON for a client that accepts nothing else, and where its route says so', async () => {
  const denied: Handle = () => refuse('permission_denied', 'Not you.')
  const typeOf = async (route: Partial<Route>, accept: string) => {
    const { call } = open([{ method: 'GET', path: '/', handle: denied, ...route }])
    return (await call('/', 'GET', { accept })).headers['content-type']
  }
  expect(await typeOf({}, '*/*')).toBe('application/problem+json')
  expect(await typeOf({}, 'application/json')).toBe('application/json')
  expect(await typeOf({ plainJson: true }, '*/*')).toBe('application/json')
})

test.each([
  ['throws', () => Promise.reject(new Error('the secret of the shop'))],
  ['answers with what cannot be sent', (): Reply => ({ body: '', contentType: 'text/plain\nb' })],
] as const)(
  'a handler that %s is logged under the request id and ends no other request',
  async (_, handle) => {
    const { call, failures } = openOne(handle)
    const told = await call('/').catch(() => undefined)
    expect(failures).toEqual([[expect.any(Error), expect.stringMatching(/^[a-z2-7]{26}$/)]])
    expect(told?.body ?? '').not.toContain('secret')
    if (told !== undefined) {
      expect(told.statusCode).toBe(500)
      expect(told.headers['x-request-id']).toBe(failures[0]?.[1])
    }
    expect((await call('/x')).statusCode).toBe(404)
  },
)

test('a body that is refused in the middle is not read on, and its connection ends', async () => {
  const full = refuse('not_ready', 'Full.')
  const lengths: number[] = []
  const hold = (bytes: number) => {
    lengths.push(bytes)
    return full
  }
  const handle: Handle = async ({ request }) => {
    const body = await readJsonBody(request, { most: 4 * 1024 * 1024, hold })
    return isRefusal(body) ? body : { body }
  }
  const { serve } = open([{ method: 'POST', path: '/shelf', handle }])
  const payload = new PassThrough()
  payload.write('{"half":')
  const headers = { 'content-type': 'application/json' }
  const answer = await inject(serve, { method: 'POST', url: '/shelf', headers, payload })
  expect([answer.statusCode, answer.headers.connection]).toEqual([503, 'close'])
  expect(lengths).toEqual([8])
})

/** A handler that waits until its signal is aborted, and a promise of that. */
function waiting() {
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const handle: Handle = async ({ signal }) => {
    reach()
    await delay(600_000, undefined, { signal }).catch(() => resolve('aborted'))
    signal.throwIfAborted()
    return { body: '{}' }
  }
  return { handle, reached, ended }
}

async function listening({ serve }: ReturnType<typeof open>): Promise<string> {
  const server = createServer(serve).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a handler that waits ends when its client disconnects, and that is no failure', async () => {
  const { handle, reached, ended } = waiting()
  const opened = openOne(handle)
  const client = new AbortController()
  const told = fetch(await listening(opened), { signal: client.signal }).catch(() => 'gone')
  await reached
  client.abort()
  expect([await told, await ended]).toEqual(['gone', 'aborted'])
  expect(opened.failures).toEqual([])
})

test('a handler that waits ends when the server stops, and its client is told so', async () => {
  const stop = new AbortController()
  const { handle, reached, ended } = waiting()
  const { call, failures } = openOne(handle, { stopping: stop.signal })
  const told = call('/')
  await reached
  stop.abort()
  expect(await ended).toBe('aborted')
  const { statusCode, headers, json } = await told
  expect([statusCode, json().code]).toEqual([503, 'stopping'])
  expect(headers['retry-after']).toBe('1')
  expect(failures).toEqual([])
})

test('a handler that begins to wait after the server stopped does not wait', async () => {
  const { call } = openOne(waiting().handle, { stopping: AbortSignal.abort() })
  expect((await call('/')).statusCode).toBe(503)
})
