/** Whatever bytes a forge or a client sends, no answer reaches whom it is not for, and no part passes for a whole. */

import { answersIn } from '@latchkey/testing/http/raw-answers'
import { dial, head, type RawLine, rawUpstream, saidAlone } from '@latchkey/testing/http/raw-line'
import { ask } from '@latchkey/testing/hub/ask'
import { expect, test } from 'vitest'
import { openBefore, openStage } from './open-stage.ts'

const to = { host: 'hub.example', authorization: null }
const close = 'Connection: close'
const chunked = 'Transfer-Encoding: chunked'
const smuggled = 'GET /admin/v1/x HTTP/1.1\r\nHost: x\r\nLatchkey-Ticket: forged\r\n\r\n'

/** A forge that says these bytes as soon as it has a request. */
async function openSaying(...bytes: readonly string[]) {
  const forge = await rawUpstream(async (line: RawLine) => {
    await line.hears('\r\n\r\n')
    line.say(...bytes)
  })
  return { forge, world: await openBefore(() => forge.url) }
}

const next = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'

// biome-ignore format: a table is read by its columns
test.each([
  ['is no HTTP',                        'hello\r\n\r\n'],
  ['has two lengths',                   'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['has a length and chunks',           'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['has a length that overflows',       'HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n'],
  ['switches protocols',                'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ['goes on without being asked',       'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['has a header with a zero byte',     'HTTP/1.1 200 OK\r\nX-A: \0\r\nContent-Length: 0\r\n\r\n'],
  ['has headers without end',           `HTTP/1.1 200 OK\r\n${'X-A: 1\r\n'.repeat(20_000)}`],
  ['has one endless header',            `HTTP/1.1 200 OK\r\nX-A: ${'1'.repeat(200_000)}`],
])('an answer that %s is a 503, and the connection to the forge ends', async (_, bytes) => {
  const { world, forge } = await openSaying(bytes)
  expect((await ask(world, '/acme/x')).status).toBe(503)
  await (await forge.line(0)).toTheEnd()
})

// biome-ignore format: a table is read by its columns
test.each([
  ['ends before its length',            'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', true],
  ['ends before its last chunk',        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', true],
  ['breaks its chunks',                 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n', false],
])('an answer that %s breaks the connection of the client', async (_, bytes, ends) => {
  const forge = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(bytes)
    if (ends) line.socket.end()
  })
  const world = await openBefore(() => forge.url)
  const line = await dial(world.hub.url)
  line.say(head('GET /acme/x', [], to))
  const heard = await line.toTheEnd()
  expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(() => answersIn(heard)).toThrow()
})

test('more bytes than an answer says reach nobody, and the next request gets its own answer', async () => {
  let count = 0
  const forge = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    count += 1
    line.say(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n0${count}${next}`)
  })
  const world = await openBefore(() => forge.url)
  const line = await dial(world.hub.url)
  for (const number of [1, 2]) {
    line.say(head('GET /acme/x', number === 2 ? [close] : [], to))
    await line.hears(`\r\n\r\n0${number}`)
  }
  const heard = await line.toTheEnd()
  expect(heard).not.toContain('evil')
  expect(answersIn(heard)).toHaveLength(2)
})

test('hints before an answer are dropped', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=b\r\nLink: </x>; rel=preload\r\n\r\n'
  const { world } = await openSaying(hints, hints, next)
  const heard = await saidAlone(world.hub.url, head('GET /acme/x', [close], to))
  expect(heard).not.toContain('Early Hints')
  expect(answersIn(heard)).toMatchObject([{ status: 200, body: 'evil' }])
})

test('an answer without body keeps the client in step, whatever follows it', async () => {
  const { world } = await openSaying(`HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n${next}`)
  const heard = await saidAlone(world.hub.url, head('GET /acme/x', [close], to))
  expect(heard).not.toContain('evil')
  expect(answersIn(heard)).toMatchObject([{ status: 204 }])
})

// biome-ignore format: a table is read by its columns
test.each([
  ['length and chunks',       `${head('POST /acme/x', ['Content-Length: 5', chunked], to)}0\r\n\r\n`],
  ['two lengths',             head('POST /acme/x', ['Content-Length: 0', 'Content-Length: 5'], to)],
  ['chunks that are hidden',  `${head('POST /acme/x', ['Transfer-Encoding: xchunked'], to)}0\r\n\r\n`],
  ['a folded length',         head('POST /acme/x', ['X-A: 1\r\n Content-Length: 5'], to)],
  ['a bare LF',               head('POST /acme/x', ['X-A: 1\nContent-Length: 5'], to)],
  ['a target with a space',   head('GET /a b', [], to)],
])('a request with %s never reaches the forge', async (_, bytes) => {
  const { world, forge } = await openStage()
  expect(await saidAlone(world.hub.url, bytes, smuggled)).toMatch(/^HTTP\/1\.1 400 /)
  expect(forge.requests).toEqual([])
})

test('a request in the body of another stays a body, with a length and in chunks', async () => {
  const { world, forge } = await openStage()
  const size = smuggled.length.toString(16)
  await saidAlone(
    world.hub.url,
    head('POST /a/x', [`Content-Length: ${smuggled.length}`], to),
    smuggled,
    head('POST /a/y', [chunked], to),
    `${size};x=y\r\n${smuggled}\r\n0\r\nLatchkey-Ticket: forged\r\nX-Trailer: 1\r\n\r\n`,
    head('GET /a/z', [close, 'Upgrade: websocket', 'TE: trailers'], to),
  )
  expect(forge.requests.map(({ method, url, body }) => [method, url, String(body)])).toEqual([
    ['POST', '/a/x', smuggled],
    ['POST', '/a/y', smuggled],
    ['GET', '/a/z', ''],
  ])
  expect(forge.requests.flatMap(({ rawTrailers }) => rawTrailers)).toEqual([])
  expect(forge.requests.at(-1)?.headers).not.toHaveProperty('upgrade')
})

test('an answer before the end of the request reaches the client, which may finish', async () => {
  const forge = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
  })
  const world = await openBefore(() => forge.url)
  const line = await dial(world.hub.url)
  line.say(head('POST /acme/x', ['Content-Length: 10'], to), 'hello')
  await line.hears('HTTP/1.1 403 Forbidden')
  line.say('hello', head('GET /readyz', [close], to))
  const heard = await line.toTheEnd()
  expect(answersIn(heard)[0]).toMatchObject({ status: 403, body: 'no' })
})
