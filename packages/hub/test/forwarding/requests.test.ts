/** The forge gets what is not the hub's own: the request as it came, with what the hub knows of the client. */

import { head, saidAlone } from '@latchkey/testing/http/raw-line'
import { askExactly, bearer } from '@latchkey/testing/hub/ask'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refuseShared } from '../../src/forwarding/own-paths.ts'
import { openStage, type Stage } from './open-stage.ts'

let stage: Stage
const closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  stage = await openStage(undefined, {}, (close) => void closing.unshift(close))
})
afterAll(async () => {
  for (const close of closing) await close()
})

async function seen(target: string, options: Parameters<typeof askExactly>[2] = {}) {
  const before = stage.forge.requests.length
  const told = await askExactly(stage.world, target, options)
  return { told, requests: stage.forge.requests.slice(before) }
}

test.each([
  ['GET', '/acme/bert'],
  ['GET', '/api/models/acme/bert/tree/main/a%2Fb%252F?recursive=1&x=%zz'],
  ['POST', '/api/models/acme/bert/commit/main'],
  ['PUT', '/acme/bert.git/info/lfs/objects/abc'],
  ['DELETE', '/api/repos/delete'],
  ['OPTIONS', '/acme/bert'],
  ['PROPFIND', '/acme/bert'],
  ['GET', '/nothing/that/anybody/knows'],
  ['GET', '/acme/bert/resolve/main/a...b/..c/f%2e%2e.txt'],
  ['GET', '/acme/b%FF?%zz&"<>|^`{}'],
])('%s %s reaches the forge byte for byte', async (method, target) => {
  const { told, requests } = await seen(target, { method })
  expect(told.status).toBe(200)
  expect(requests.map(({ url }) => Buffer.from(url, 'latin1'))).toEqual([
    Buffer.from(target, 'latin1'),
  ])
  expect(requests[0]?.method).toBe(method)
})

test.each([
  ...['/', '/admin', '/admin/v1/nothing', '/link/v1/forge/x', '/account', '/account/x', '/login/x'],
  ...['/logout', '/oauth/x', '/.well-known/x', '/readyz', '/metrics/x', '/healthz/', '/device/x'],
  ...['/api/whoami', '/api/whoami-v2', '/openapi.json', '/revoke'],
  ...['/api/models/acme/bert/storage-read-token/main', '/api/models/acme/bert/xet-read-token/main'],
  ...['/%61dmin/v1/x', '/Admin/v1/x', '/%4cink/v1/x', '/.Well-Known/x', '/%zz/x', '/%ff/x'],
  ...['//evil.example/x', '/acme/../admin', '/acme/%2e%2E/admin', '/acme/./x', '/acme/.%2e'],
  ...['/acme\\..\\admin', '/acme/x#y', '*', 'http://hub.example', 'http://hub.example//x'],
  ...['http://hub.example/admin', 'https://hub.example/acme/../x', 'http://evil.example/acme/x'],
])('%s does not reach the forge', async (target) => {
  const method = target === '*' ? 'OPTIONS' : 'GET'
  const { told, requests } = await seen(target, { method })
  expect(requests).toEqual([])
  expect(told.text).not.toBe('from the forge')
})

test('the absolute form of a target reaches the forge as its path', async () => {
  const { requests } = await seen('http://hub.example/acme/bert?x=1')
  expect(requests.map(({ url }) => url)).toEqual(['/acme/bert?x=1'])
})

test('no hub starts that would share a path of its own with the forge', () => {
  const own = ['/admin/v1/{rest...}', '/login/{provider}', '/.well-known/jwks.json', '/api/whoami']
  expect(() => refuseShared(own.map((path) => ({ path })))).not.toThrow()
  expect(() => refuseShared([{ path: '/new/{id}' }])).toThrow('/new/{id}')
})

test('the forge learns the client, the public address and the credential, and nothing of others', async () => {
  const authorization = bearer(stage.world, 'reader/write')
  const { told, requests } = await seen('/api/models/acme/bert', {
    headers: [
      ...['Authorization', authorization, 'Cookie', '__Host-latchkey=lks_x; other=1'],
      ...['Latchkey-Ticket', 'forged', 'latchkey_ticket', 'forged', 'Latchkey-Scope', 'write'],
      ...['X-Forwarded-For', '6.6.6.6', 'Forwarded', 'for=6.6.6.6', 'X-Real-IP', '6.6.6.6'],
      ...['X-Forwarded-Proto', 'gopher', 'X-Forwarded-Host', 'evil', 'X-Request-Id', 'forged'],
      ...['Referer', 'https://hub.example/device?user_code=ABCD', 'Accept', 'application/json'],
      ...['If-None-Match', '"x"', 'Range', 'bytes=0-1', 'X-Own', 'kept'],
    ],
  })
  const [{ headers, rawHeaders } = { headers: {}, rawHeaders: [] }] = requests
  expect(headers).toEqual({
    host: new URL(stage.forge.url).host,
    connection: 'keep-alive',
    authorization,
    accept: 'application/json',
    'if-none-match': '"x"',
    range: 'bytes=0-1',
    'x-own': 'kept',
    'x-request-id': told.headers.get('x-request-id'),
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'hub.example',
  })
  expect(rawHeaders.join()).not.toMatch(/forged|6\.6\.6\.6|lks_|user_code/)
})

test('a request with two credentials reaches the forge with both', async () => {
  const { requests } = await seen('/acme/x', {
    headers: ['Authorization', 'Bearer a', 'Authorization', 'Bearer b'],
  })
  const values = requests[0]?.rawHeaders.filter((_, at, all) => all[at - 1] === 'authorization')
  expect(values).toEqual(['Bearer a', 'Bearer b'])
})

test('a client that asks before it sends its body is told to go on', async () => {
  const first = head('POST /acme/x', ['Content-Length: 5', 'Expect: 100-continue'], {
    host: 'hub.example',
    authorization: null,
  })
  const heard = await saidAlone(
    stage.world.hub.url,
    first.replace('\r\n', '\r\nConnection: close\r\n'),
    'hello',
  )
  expect(heard).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  expect(String(stage.forge.requests.at(-1)?.body)).toBe('hello')
  expect(stage.forge.requests.at(-1)?.headers.expect).toBeUndefined()
})

test('requests come on one connection to the forge, also after a HEAD', async () => {
  const connections = new Set<number>()
  for (const method of ['HEAD', 'GET', 'HEAD', 'HEAD', 'GET']) {
    const { requests } = await seen('/acme/bert/resolve/main/a.txt', { method })
    for (const { connection } of requests) connections.add(connection)
  }
  expect(connections.size).toBe(1)
})
