/** What the storage and the client learn from each other's headers, and what neither can make the other believe. */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asRefUid } from '@latchkey/protocol'
import { forwardedKin } from '@latchkey/testing/attacks/attacks'
import { gatewaySettings, openGateway } from '@latchkey/testing/gate/gateway'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { answersIn, headerOf } from '@latchkey/testing/http/raw-answers'
import { dial, head, rawUpstream, saidAlone } from '@latchkey/testing/http/raw-line'
import { recordingUpstream } from '@latchkey/testing/http/recording-upstream'
import { expect, onTestFinished, test } from 'vitest'

const path = `${prefix}/v1/chunks/default/abc`

/** Sends one GET with these header lines and gives what the storage got and the client heard. */
async function through(lines: readonly string[], authorization?: string) {
  const upstream = await recordingUpstream()
  const { gateway, logLines } = await openGateway(upstream.url)
  const options = authorization === undefined ? {} : { authorization }
  const heard = await saidAlone(
    gateway.url,
    head(`GET ${path}`, [...lines, 'Connection: close'], options),
  )
  return { answer: answersIn(heard).at(-1), requests: upstream.requests, logLines }
}

// conformance: Attacks / 15. An attacker forges or removes the identity headers of the gate
test('an admitted request reaches the storage without its token and with who is let in', async () => {
  const authorization = bearer()
  const { requests, answer } = await through([], authorization)
  expect(answer).toMatchObject({ status: 200, body: 'from the storage' })
  expect(requests).toHaveLength(1)
  expect(requests[0]?.headers).not.toHaveProperty('authorization')
  expect(JSON.stringify(requests[0]?.rawHeaders)).not.toContain(authorization.slice(7))
  expect(requests[0]?.headers).toMatchObject({
    'latchkey-subject': 'ada-id',
    'latchkey-repository': 'models/acme/bert',
    'latchkey-repository-uid': 'bertuid',
    'latchkey-ref': 'refs/heads/main',
    'latchkey-ref-uid': 'mainuid',
    'latchkey-scope': 'read',
  })
  expect(requests[0]?.headers).not.toHaveProperty('latchkey-assertion')
})

test.each([
  ['refs/heads/é', 'refs/heads/%C3%A9'],
  ['refs/heads/50%', 'refs/heads/50%25'],
  ['refs/heads/%0d%0aX', 'refs/heads/%250d%250aX'],
  ['refs/heads/a#b', 'refs/heads/a#b'],
  ['refs/heads/日本\u{1f511}', 'refs/heads/%E6%97%A5%E6%9C%AC%F0%9F%94%91'],
])('the ref %s is told as ASCII that decodes to it alone', async (name, told) => {
  const { requests } = await through([], bearer({ ref: { name, uid: asRefUid('mainuid') } }))
  expect(requests[0]?.headers['latchkey-ref']).toBe(told)
  expect(decodeURIComponent(told)).toBe(name)
})

test.each([
  'Latchkey-Scope: write',
  'latchkey-ref: refs/heads/other',
  'LATCHKEY-REPOSITORY-UID: other',
  'Latchkey_Scope: write',
  'LatchKey_Ref-Uid: other',
  'Latchkey-Assertion: a.b.c',
  'Latchkey-Anything-New: 1',
  'Latchkey: 1',
  'Trailer: Latchkey-Scope',
  'X-HTTP-Method-Override: DELETE',
  'x_http_method_override: DELETE',
  'X-HTTP-Method: DELETE',
  'X-Method-Override: DELETE',
  'X-Original-URL: /v1/shards',
  'X-Rewrite-URL: /v1/shards',
])('a request with %j is a 400 that the storage never sees', async (line) => {
  const { answer, requests } = await through([line])
  expect(answer?.status).toBe(400)
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'bad_request', status: 400 })
  expect(requests).toEqual([])
})

// conformance: Guarantees / Only the gate sets the identity headers for the storage
// conformance: Attacks / 15. An attacker forges or removes the identity headers of the gate
test('a client cannot have the identity removed by naming it in Connection', async () => {
  const { requests } = await through([
    'Connection: Latchkey-Ref, X-Foo',
    'Connection: latchkey-scope,latchkey-repository-uid, x-forwarded-for, x-request-id, host',
    'X-Foo: 1',
    'X-Bar: 2',
  ])
  expect(requests[0]?.headers).toMatchObject({
    'latchkey-ref': 'refs/heads/main',
    'latchkey-scope': 'write',
    'latchkey-repository-uid': 'bertuid',
    'x-forwarded-for': '127.0.0.1',
    'x-bar': '2',
  })
  expect(requests[0]?.headers['x-request-id']).toMatch(/^[a-z2-7]{26}$/)
  expect(requests[0]?.headers).not.toHaveProperty('x-foo')
})

test('headers of one connection are not handed to the storage', async () => {
  const { requests } = await through([
    'Keep-Alive: timeout=5',
    'Proxy-Connection: keep-alive',
    'Proxy-Authorization: Basic eDp5',
    'TE: trailers',
    'Trailer: X-Sum',
  ])
  const names = Object.keys(requests[0]?.headers ?? {})
  for (const gone of ['keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'trailer']) {
    expect(names).not.toContain(gone)
  }
  expect(requests[0]?.headers.connection).toBe('keep-alive')
})

test('headers of one connection are not handed to the client', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive, X-Inner\r\nX-Inner: 1\r\n',
      'Keep-Alive: timeout=9\r\nProxy-Authenticate: Basic\r\nTrailer: X-Sum\r\nUpgrade: h2c\r\n',
      'X-Outer: 2\r\n\r\nok',
    )
  })
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(`GET ${path}`))
  const [answer] = answersIn(await line.hears(/\r\n\r\nok$/))
  const names = answer?.headers.map(([name]) => name) ?? []
  for (const gone of ['x-inner', 'proxy-authenticate', 'trailer', 'upgrade']) {
    expect(names).not.toContain(gone)
  }
  expect(answer?.headers).not.toContainEqual(['keep-alive', 'timeout=9'])
  expect(answer?.headers).toContainEqual(['x-outer', '2'])
})

test('what a client says about addresses, hosts and ids is replaced by what the gate knows', async () => {
  const { requests } = await through([
    'X-Forwarded-For: 10.0.0.1',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: gopher',
    'X-Forwarded-Prefix: /evil',
    'X-Forwarded-Uri: /v1/shards',
    'X-Forwarded-Method: DELETE',
    'Forwarded: for=10.0.0.1',
    'X-Real-IP: 10.0.0.1',
    'X-Request-Id: mine',
  ])
  const [request] = requests
  expect(request?.headers).toMatchObject({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'cas.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-prefix': prefix,
  })
  expect(request?.headers['x-request-id']).not.toBe('mine')
  for (const gone of ['forwarded', 'x-real-ip', 'x-forwarded-uri', 'x-forwarded-method']) {
    expect(request?.headers).not.toHaveProperty(gone)
  }
})

// conformance: Attacks / 46. An attacker sends another method or host in the query or proxy headers
test('what proxies tell the servers behind them does not come from a client', async () => {
  const more = [
    ...['Host-Override', 'X-Host-Override', 'X-Backend-Host', 'X-Scheme', 'X-URL-Scheme'],
    ...['Front-End-Https', 'X-Script-Name', 'X-Accel-Mapping', 'X-Sendfile-Type', 'Client-IP'],
    ...['Fastly-Client-IP', 'CF-Connecting-IPv6', 'X-Azure-ClientIP', 'X-SSL-Client-DN'],
    ...[
      'X-Client-Cert',
      'X-WebAuth-User',
      'X-Auth-Request-Email',
      'X-Rewrite-Host',
      'X-Remote-Addr',
    ],
  ]
  const names = [...forwardedKin, ...more]
  const { requests } = await through([...names.map((name) => `${name}: evil`), 'X-Custom: kept'])
  const [request] = requests
  expect(request?.headers).toMatchObject({ 'x-custom': 'kept', 'x-forwarded-host': 'cas.example' })
  expect(JSON.stringify(request?.headers)).not.toContain('evil')
})

// conformance: Attacks / 17. An attacker uses CONNECT, an upgrade or the absolute form
test('Host is the storage’s own, whatever the client calls it', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  const line = head(`GET ${path}`, ['Connection: close'], { host: 'CAS.example:81' })
  await saidAlone(gateway.url, line)
  expect(upstream.requests[0]?.headers.host).toBe(new URL(upstream.url).host)
})

// conformance: Attacks / 15. An attacker forges or removes the identity headers of the gate
test('a name with an underscore, which some servers read as another, is not handed on', async () => {
  const { requests } = await through(['X_Forwarded_For: 10.0.0.1', 'Content_Length: 5', 'X-A: 1'])
  const names = requests[0]?.rawHeaders.filter((_, index) => index % 2 === 0) ?? []
  expect(names.filter((name) => name.includes('_'))).toEqual([])
  expect(names).toContain('x-a')
})

test('repeated headers and bytes beyond ASCII reach the storage as they were sent', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  const name = Buffer.from('日本.bin').toString('latin1')
  line.say(head(`GET ${path}`, [`X-Name: ${name}`, 'X-Twice: 1', 'X-Twice: 2', 'X-Empty:']))
  await line.hears('\r\n\r\n')
  const heard = (await upstream.line(0)).heard()
  expect(heard).toContain(`x-name: ${name}\r\n`)
  expect(heard).toMatch(/x-twice: 1\r\nx-twice: 2\r\n/)
  expect(heard).toMatch(/x-empty: ?\r\n/)
})

test('repeated headers and bytes beyond ASCII reach the client as the storage sent them', async () => {
  const name = Buffer.from('日本é.bin').toString('latin1')
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(
      `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Disposition: attachment; filename="${name}"\r\n`,
      'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\nok',
    )
  })
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(`GET ${path}`))
  const heard = await line.hears(/\r\n\r\n[\s\S]/)
  expect(heard).toMatch(/^HTTP\/1\.1 200 /)
  expect(heard).toContain(`attachment; filename="${name}"\r\n`)
  expect(heard).toMatch(/set-cookie: a=1\r\nset-cookie: b=2\r\n/i)
  expect(heard.match(/^date:/gim)).toHaveLength(1)
})

test('storage, client and log are told the same request id, whatever the storage calls it', async () => {
  const upstream = await recordingUpstream((_request, response) => {
    response.setHeader('X-Request-Id', 'of-the-storage')
    response.end()
  })
  const { gateway, logLines } = await openGateway(upstream.url)
  const answer = await fetch(`${gateway.url}${path}`, { headers: { authorization: bearer() } })
  const id = answer.headers.get('x-request-id')
  expect(id).toMatch(/^[a-z2-7]{26}$/)
  expect(upstream.requests[0]?.headers['x-request-id']).toBe(id)
  expect(logLines.filter((line) => line.includes(`"requestId":"${id}"`))).toHaveLength(1)
})

test('a refusal has its request id in header, body and log', async () => {
  const { answer, logLines } = await through([], 'Bearer nothing')
  const id = headerOf(answer ?? { status: 0, headers: [], body: '' }, 'x-request-id')
  expect(id).toMatch(/^[a-z2-7]{26}$/)
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ status: 401, requestId: id })
  expect(logLines.filter((line) => line.includes(`"requestId":"${id}"`))).toHaveLength(1)
})

test('the prefix of casUrl is taken off the path and told apart', async () => {
  const { requests } = await through([])
  expect(requests[0]?.url).toBe('/v1/chunks/default/abc')
  expect(requests[0]?.headers['x-forwarded-prefix']).toBe(prefix)
})

test.each([
  '?',
  '??a=b',
  '?file_id=%2F%2e%2E&x=%C3%A9&y=a+b&empty=&&z',
  '?../../v1/shards',
  '?q="<>\\^`{|}',
  '?http://evil.example/',
])('the query %j is kept byte for byte', async (query) => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  await saidAlone(gateway.url, head(`GET ${path}${query}`, ['Connection: close']))
  expect(upstream.requests.map(({ url }) => url)).toEqual([`/v1/chunks/default/abc${query}`])
})

test('a path of the storage’s own URL comes before what is handed on', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(`${upstream.url}/deep/store`)
  await saidAlone(gateway.url, head(`GET ${path}?a=1`, ['Connection: close']))
  expect(upstream.requests[0]?.url).toBe('/deep/store/v1/chunks/default/abc?a=1')
})

test('a request for the prefix alone is one for the root of the storage', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  await saidAlone(gateway.url, head(`GET ${prefix}`, ['Connection: close']))
  expect(upstream.requests[0]?.url).toBe('/')
})

test('without placeholders and prefix nothing is taken off and no prefix is told', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url, {
    casUrl: 'https://cas.example',
    isolation: 'upstream',
  })
  const authorization = bearer({ aud: 'https://cas.example' })
  await saidAlone(gateway.url, head('GET /v1/x', ['Connection: close'], { authorization }))
  expect(upstream.requests[0]?.url).toBe('/v1/x')
  expect(upstream.requests[0]?.headers).not.toHaveProperty('x-forwarded-prefix')
})

test('a storage on a socket of this machine is reached like any other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-socket-'))
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`)
    request.pipe(response)
  })
  await new Promise<void>((done) => server.listen(join(folder, 's'), () => done()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { gateway } = await openGateway(`unix:${join(folder, 's')}`)
  const answer = await fetch(`${gateway.url}${prefix}/v1/shards`, {
    method: 'POST',
    body: 'to a socket',
    headers: { authorization: bearer({ scope: 'write' }) },
  })
  expect(await answer.text()).toBe('to a socket')
  expect(seen).toEqual(['POST /v1/shards localhost'])
})

test('only a proxy that the operator trusts can tell another address', async () => {
  const upstream = await recordingUpstream()
  const { trustedProxies: none } = gatewaySettings('http://x', 'http://y')
  for (const trustedProxies of [none, ['127.0.0.1']]) {
    const { gateway } = await openGateway(upstream.url, { trustedProxies })
    const lines = ['X-Forwarded-For: 10.9.8.7, 192.0.2.1', 'Connection: close']
    await saidAlone(gateway.url, head(`GET ${path}`, lines))
  }
  const told = upstream.requests.map(({ headers }) => headers['x-forwarded-for'])
  expect(told).toEqual(['127.0.0.1', '192.0.2.1'])
})
