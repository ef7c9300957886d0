/** What a forge answers reaches clients as content, and acts as the hub's origin in nothing. */

import { gzipSync } from 'node:zlib'
import { answersIn, headerOf } from '@latchkey/testing/http/raw-answers'
import { dial, head } from '@latchkey/testing/http/raw-line'
import { ask, askExactly } from '@latchkey/testing/hub/ask'
import { expect, test } from 'vitest'
import { openStage } from './open-stage.ts'

const app = 'https://app.example'
const ofBytes =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
const ofPages =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

test('headers by which a taken-over forge would act as the hub are dropped', async () => {
  const { world } = await openStage((_, response) => {
    response.writeHead(200, [
      ...['Set-Cookie', '__Host-latchkey=lks_evil; Path=/; Secure', 'Set-Cookie2', 'a=b'],
      ...['Service-Worker-Allowed', '/', 'Clear-Site-Data', '"*"', 'Refresh', '0; url=//evil'],
      ...['Strict-Transport-Security', 'max-age=0', 'Public-Key-Pins', 'x', 'Alt-Svc', 'h2=":1"'],
      ...['Access-Control-Allow-Origin', '*', 'Access-Control-Allow-Credentials', 'true'],
      ...['Report-To', '{}', 'NEL', '{}', 'Reporting-Endpoints', 'x="//evil"', 'SourceMap', '/x'],
      ...[
        'Content-Security-Policy-Report-Only',
        'x',
        'Permissions-Policy',
        'x',
        'Origin-Trial',
        'x',
      ],
      ...['X-Accel-Redirect', '/secret', 'X-Sendfile', '/secret', 'X-Request-Id', 'forged'],
      ...['Latchkey-Scope', 'write', 'Set-Login', 'logged-out', 'Speculation-Rules', '"/x"'],
      ...['Server', 'x', 'X-Powered-By', 'x', 'Proxy-Authenticate', 'Basic', 'Trailer', 'X-A'],
      ...['Content-Type', 'application/json', 'ETag', '"e"', 'Location', 'https://cas.example/x'],
      ...['X-Repo-Commit', 'a', 'Link', '</x>; rel="next"', 'WWW-Authenticate', 'Basic realm="x"'],
    ])
    response.end('{}')
  })
  const { headers } = await askExactly(world, '/api/models/acme/bert')
  expect(Object.fromEntries(headers)).toEqual({
    'content-type': 'application/json',
    etag: '"e"',
    location: 'https://cas.example/x',
    'x-repo-commit': 'a',
    link: '</x>; rel="next"',
    'www-authenticate': 'Basic realm="x"',
    'content-security-policy': ofBytes,
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[a-z2-7]{26}$/),
    date: expect.any(String),
    connection: 'close',
    'transfer-encoding': 'chunked',
  })
})

test('the password of a forge is asked for in programs, and not in browsers', async () => {
  const { world } = await openStage((_, response) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="Your hub token"' }).end()
  })
  const told = (headers = {}) => ask(world, '/acme/bert', { headers })
  expect((await told()).headers.get('www-authenticate')).toContain('Basic')
  for (const headers of [{ accept: 'text/html' }, { 'sec-fetch-dest': 'image' }]) {
    expect((await told(headers)).headers.get('www-authenticate')).toBeNull()
  }
})

test.each([
  ['text/html', ofPages],
  ['Text/HTML; charset=utf-8', ofPages],
  [undefined, ofBytes],
  ['image/svg+xml', ofBytes],
  ['application/xhtml+xml', ofBytes],
  ['text/html-x', ofBytes],
  ['text/javascript', ofBytes],
])('content of type %s comes with a policy of the hub', async (type, policy) => {
  const strict = "default-src 'none'; style-src 'sha256-x'"
  const { world } = await openStage((_, response) => {
    if (type !== undefined) response.setHeader('Content-Type', type)
    response.setHeader('Content-Security-Policy', [strict, "script-src 'unsafe-inline' *"])
    response.setHeader('X-Content-Type-Options', 'none')
    response.end('x')
  })
  const { headers } = await ask(world, '/acme/bert')
  const policies = headers.get('content-security-policy')?.split(', ')
  expect(policies).toEqual([strict, "script-src 'unsafe-inline' *", policy])
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('two content types at once are no page, and parts with headers of their own are bytes', async () => {
  const types = [['text/html', 'text/html'], ['multipart/x-mixed-replace; boundary=x']]
  const { world } = await openStage((_, response) => {
    const each = (types.shift() ?? []).flatMap((type) => ['Content-Type', type])
    response.writeHead(200, each)
    response.end('x')
  })
  const two = await ask(world, '/acme/x')
  expect(two.headers.get('content-security-policy')).toBe(ofBytes)
  const parts = await ask(world, '/acme/x')
  expect(parts.headers.get('content-type')).toBe('application/octet-stream')
})

test('CORS is that of the hub, and preflights never reach the forge', async () => {
  const { world, forge } = await openStage(
    (_, response) => response.setHeader('Access-Control-Allow-Origin', '*').end('{}'),
    { cors: { origins: [app] } },
  )
  const from = (origin: string) => ask(world, '/api/models/acme/x', { headers: { origin } })
  const [listed, other] = [await from(app), await from('https://evil.example')]
  expect(listed.headers.get('access-control-allow-origin')).toBe(app)
  expect(listed.headers.get('access-control-expose-headers')).toMatch(/X-Request-Id.*X-Repo-Commit/)
  expect(other.headers.get('access-control-allow-origin')).toBeNull()
  const preflight = await ask(world, '/api/models/acme/x/commit/main', {
    method: 'OPTIONS',
    headers: { origin: app, 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  expect(forge.requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
})

test('HEAD, 204, 304, ranges and packed bodies pass as they are, and connections are used again', async () => {
  const packed = gzipSync('hello')
  const { world, forge } = await openStage(({ method, url, headers }, response) => {
    if (method === 'HEAD') response.writeHead(200, { 'Content-Length': 1000 }).end()
    else if (url === '/a/204') response.writeHead(204).end()
    else if (url === '/a/304') response.writeHead(304, { ETag: '"e"' }).end()
    else if (headers.range !== undefined) {
      response.writeHead(206, { 'Content-Range': 'bytes 0-1/9', 'Content-Length': 2 }).end('ab')
    } else response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(packed)
  })
  const line = await dial(world.hub.url)
  const to = { host: 'hub.example', authorization: null }
  const say = (
    first: string,
    more: readonly string[] = [],
    ...body: readonly (string | Buffer)[]
  ) => line.say(head(first, more, to), ...body)
  const { headers } = await ask(world, '/a/head', { method: 'HEAD' })
  expect(headers.get('content-length')).toBe('1000')
  for (const [first, more, part] of [
    ['GET /a/204', [], 'HTTP/1.1 204 '],
    ['GET /a/304', [], 'HTTP/1.1 304 '],
    ['GET /a/range', ['Range: bytes=0-1'], '\r\n\r\nab'],
  ] as const) {
    say(first, more)
    await line.hears(part)
  }
  const gzip = ['Content-Encoding: gzip', `Content-Length: ${packed.length}`, 'Connection: close']
  say('POST /a.git/git-upload-pack', gzip, packed)
  const heard = await line.toTheEnd()
  const answers = answersIn(heard)
  expect(answers.map(({ status }) => status)).toEqual([204, 304, 206, 200])
  expect(headerOf(answers[2] as never, 'content-range')).toBe('bytes 0-1/9')
  expect(Buffer.from(answers[3]?.body ?? '', 'latin1').equals(packed)).toBe(true)
  expect(forge.requests.at(-1)?.body.equals(packed)).toBe(true)
  expect(forge.requests.at(-1)?.headers['content-encoding']).toBe('gzip')
  expect(forge.connections()).toBe(1)
})
