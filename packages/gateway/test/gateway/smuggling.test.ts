/** No bytes make the storage see a request that the gate has not judged, and no answer reaches whom it is not for. */

import type { RunningGateway } from '@latchkey/gateway'
import { type AtEnd, openGateway } from '@latchkey/testing/gate/gateway'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { answersIn } from '@latchkey/testing/http/raw-answers'
import { dial, head, type RawLine, rawUpstream, saidAlone } from '@latchkey/testing/http/raw-line'
import {
  type RecordingUpstream,
  recordingUpstream,
} from '@latchkey/testing/http/recording-upstream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const shards = `POST ${prefix}/v1/shards`
const chunk = `GET ${prefix}/v1/chunks/default/abc`

/** What an attacker wants the storage to see: an identity of the attacker's own making. */
const smuggled = 'POST /smuggled HTTP/1.1\r\nHost: x\r\nLatchkey-Scope: write\r\n\r\n'

const chunked = 'Transfer-Encoding: chunked'
const close = 'Connection: close'

interface Stage {
  readonly upstream: RecordingUpstream
  readonly gateway: RunningGateway
}

async function openStage(atEnd?: AtEnd): Promise<Stage> {
  const upstream = await recordingUpstream(undefined, atEnd)
  const { gateway } = await openGateway(upstream.url, {}, {}, atEnd)
  return { upstream, gateway }
}

/** For all attacks that must not reach the storage: behind the first not even a connection is opened. */
let unreached: Stage
let unasked: Stage
const closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  const atEnd: AtEnd = (close) => void closing.unshift(close)
  unreached = await openStage(atEnd)
  unasked = await openStage(atEnd)
})
afterAll(async () => {
  for (const close of closing) await close()
})

/** Says it to a gateway of its own, and tells what was answered and which requests the storage saw. */
async function attack(...bytes: readonly (string | Buffer)[]) {
  const { upstream, gateway } = await openStage()
  const heard = await saidAlone(gateway.url, ...bytes)
  const seen = upstream.requests.map(({ method, url }) => `${method} ${url}`)
  return { heard, seen, requests: upstream.requests }
}

// biome-ignore format: a table is read by its columns
test.each([
  ['length and chunks',                    `${head(shards, ['Content-Length: 5', chunked])}0\r\n\r\n`],
  ['chunks and length',                    `${head(shards, [chunked, 'Content-Length: 5'])}0\r\n\r\n`],
  ['two lengths that differ',              head(shards, ['Content-Length: 0', 'Content-Length: 5'])],
  ['two lengths that agree',               head(shards, ['Content-Length: 0', 'Content-Length: 0'])],
  ['a list of lengths',                    head(shards, ['Content-Length: 0, 0'])],
  ['a length with a sign',                 head(shards, ['Content-Length: +0'])],
  ['a negative length',                    head(shards, ['Content-Length: -1'])],
  ['a length in hexadecimal',              head(shards, ['Content-Length: 0x0'])],
  ['a length that overflows',              head(shards, ['Content-Length: 18446744073709551616'])],
  ['an empty length',                      head(shards, ['Content-Length:'])],
  ['chunks by another name',               `${head(shards, ['Transfer-Encoding: xchunked'])}0\r\n\r\n`],
  ['chunks in quotes',                     `${head(shards, ['Transfer-Encoding: "chunked"'])}0\r\n\r\n`],
  ['chunks that are not the last coding',  `${head(shards, ['Transfer-Encoding: chunked, identity'])}0\r\n\r\n`],
  ['chunks twice',                         `${head(shards, ['Transfer-Encoding: chunked, chunked'])}0\r\n\r\n`],
  ['two headers of chunks',                `${head(shards, [chunked, chunked])}0\r\n\r\n`],
  ['chunks after a vertical tab',          `${head(shards, ['Transfer-Encoding: \vchunked'])}0\r\n\r\n`],
  ['a coding that would be lost',          `${head(shards, ['Transfer-Encoding: gzip, chunked', close])}0\r\n\r\n`],
  ['identity as a coding',                 head(shards, ['Transfer-Encoding: identity'])],
  ['a folded header',                      head(shards, ['X-A: 1\r\n Content-Length: 5', 'Content-Length: 0'])],
  ['a folded coding',                      `${head(shards, ['Transfer-Encoding:\r\n chunked'])}0\r\n\r\n`],
  ['a space before the colon',             head(shards, ['Content-Length : 0'])],
  ['a tab before the colon',               `${head(shards, ['Transfer-Encoding\t: chunked'])}0\r\n\r\n`],
  ['a header without name',                head(shards, [': 1'])],
  ['a header without colon',               head(shards, ['Content-Length'])],
  ['a zero byte in a header',              head(shards, ['X-A: 1\0'])],
  ['a zero byte in a name',                head(shards, ['Content-Length\0: 0'])],
  ['a bare CR in a header',                head(shards, ['X-A: 1\rContent-Length: 5'])],
  ['a bare LF in a header',                head(shards, ['X-A: 1\nContent-Length: 5'])],
  ['lines that end in LF alone',           head(shards, [close]).replaceAll('\r\n', '\n')],
  ['an end of headers in LF alone',        head(shards, [close]).replace(/\r\n$/, '\n')],
  ['a target with a space',                head('GET /a b', [close])],
  ['a line without version',               `${chunk}\r\n\r\n`],
  ['another version of the protocol',      head(chunk, [close]).replace('HTTP/1.1', 'HTTP/1.2')],
  ['a version of two digits',              head(chunk, [close]).replace('HTTP/1.1', 'HTTP/1.10')],
  ['two hosts',                            head(chunk, ['Host: other.example', close])],
  ['no host',                              head(chunk, [close]).replace('Host: cas.example\r\n', '')],
])('%s: refused with 400, and nothing reaches the storage', async (_what, bytes) => {
  const { upstream, gateway } = unreached
  expect(await saidAlone(gateway.url, bytes, smuggled)).toMatch(/^HTTP\/1\.1 400 /)
  expect(upstream.requests).toEqual([])
  expect(upstream.connections()).toBe(0)
})

// biome-ignore format: a table is read by its columns
test.each([
  ['a size in another notation',  '0x5\r\nhello\r\n0\r\n\r\n'],
  ['a size with a sign',          '+5\r\nhello\r\n0\r\n\r\n'],
  ['a negative size',             '-5\r\nhello\r\n0\r\n\r\n'],
  ['a size that overflows',       'fffffffffffffffff\r\nhello\r\n0\r\n\r\n'],
  ['a size after a space',        ' 5\r\nhello\r\n0\r\n\r\n'],
  ['more data than its size',     '4\r\nhello\r\n0\r\n\r\n'],
  ['a line that ends in LF',      '5\nhello\r\n0\r\n\r\n'],
  ['data that ends in LF',        '5\r\nhello\n0\r\n\r\n'],
  ['an extension with a bare LF', '5;a\nb\r\nhello\r\n0\r\n\r\n'],
  ['an extension with a bare CR', '5;a\rb\r\nhello\r\n0\r\n\r\n'],
  ['a trailer without colon',     '0\r\nX-A\r\n\r\n'],
  ['a trailer that is folded',    '0\r\nX-A: 1\r\n b\r\n\r\n'],
])('a chunk with %s breaks off, and the storage sees no whole request', async (_what, body) => {
  const { upstream, gateway } = unasked
  for (const together of [true, false]) {
    const line = await dial(gateway.url)
    if (together) line.say(`${head(shards, [chunked])}${body}${smuggled}`)
    else line.say(head(shards, [chunked]))
    if (!together) setTimeout(() => line.say(body, smuggled), 30)
    const heard = await line.toTheEnd()
    expect(heard).not.toMatch(/HTTP\/1\.1 [23]/)
    expect(upstream.requests).toEqual([])
  }
})

test('extensions of chunks are read by nobody behind the gate', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n0\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  const { gateway } = await openGateway(upstream.url)
  const body = '5;evil=b\r\nhello\r\n6;evil="x"\r\n world\r\n0;evil\r\n\r\n'
  const heard = await saidAlone(gateway.url, head(shards, [chunked, close]), body)
  expect(heard).toMatch(/^HTTP\/1\.1 200 /)
  const [seen = ''] = upstream.lines.map((line) => line.heard())
  expect(seen).not.toContain('evil')
  const chunks = seen.slice(seen.indexOf('\r\n\r\n') + 4).split('\r\n')
  expect(chunks.filter((_, index) => index % 2 === 1).join('')).toBe('hello world')
})

test('a length with zeros before it frames the body as the gate understood it', async () => {
  const { heard, requests } = await attack(
    head(shards, ['Content-Length: 0000000005']),
    'hello',
    head(chunk, [close]),
  )
  expect(answersIn(heard).map(({ status }) => status)).toEqual([200, 200])
  expect(requests.map(({ body }) => body.toString())).toEqual(['hello', ''])
  expect(requests[0]?.headers['content-length']).toBe('5')
})

test.each(['Latchkey-Scope', 'LATCHKEY_SCOPE', 'latchkey-ref'])(
  'a trailer %s is a 400, declared or not, at once or late, and the storage sees no whole request',
  async (name) => {
    const { upstream, gateway } = unasked
    for (const declared of [true, false]) {
      for (const together of [true, false]) {
        const line = await dial(gateway.url)
        const more = declared ? [`Trailer: X-Sum, ${name}`] : []
        const trailers = `0\r\nX-Sum: 1\r\n${name}: write\r\n\r\n`
        const first = `${head(shards, [chunked, ...more])}5\r\nhello\r\n`
        line.say(together ? first + trailers : first)
        if (!together) setTimeout(() => line.say(trailers), 30)
        await line.hears(/^HTTP\/1\.1 400 [\s\S]*\r\n\r\n/)
        expect(upstream.requests).toEqual([])
        line.socket.destroy()
      }
    }
  },
)

test('other trailers are let go of', async () => {
  const body = '5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n'
  const { heard, requests } = await attack(head(shards, [chunked, 'Trailer: X-Sum', close]), body)
  expect(heard).toMatch(/^HTTP\/1\.1 200 /)
  expect(requests[0]?.body.toString()).toBe('hello')
  expect(requests[0]?.rawTrailers).toEqual([])
})

// conformance: Attacks / 16. An attacker hides a second request in a body
test('requests sent without waiting are judged one by one and answered in their order', async () => {
  const upstream = await recordingUpstream(({ url }, response) => {
    setTimeout(() => response.end(url), url.endsWith('slow') ? 80 : 0)
  })
  const { gateway } = await openGateway(upstream.url)
  const heard = await saidAlone(
    gateway.url,
    head(`GET ${prefix}/slow`),
    head(`GET ${prefix}/nobody`, [], { authorization: null }),
    head(`GET ${prefix}//twice`),
    head(`GET ${prefix}/quick`, [close]),
  )
  const answers = answersIn(heard)
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 400, 200])
  expect([answers[0]?.body, answers[3]?.body]).toEqual(['/slow', '/quick'])
  expect(upstream.requests.map(({ url }) => url).sort()).toEqual(['/quick', '/slow'])
})

test.each([
  ['with a length', [`Content-Length: ${smuggled.length}`], smuggled],
  ['in chunks', [chunked], `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`],
])('the body of a refused request %s is never taken for a request', async (_how, lines, body) => {
  const { heard, seen } = await attack(
    head(shards, lines, { authorization: null }),
    body,
    head(chunk, [close]),
  )
  const [first, second, ...more] = answersIn(heard)
  expect(first?.status).toBe(401)
  expect(more).toEqual([])
  expect(seen).toEqual(second === undefined ? [] : ['GET /v1/chunks/default/abc'])
})

test('a refused request whose body has not arrived ends the connection', async () => {
  const { heard, seen } = await attack(
    head(shards, ['Content-Length: 100000'], { authorization: null }),
    smuggled,
    head(chunk),
  )
  expect(answersIn(heard).map(({ status }) => status)).toEqual([401])
  expect(seen).toEqual([])
})

test('what follows a refused expectation is nobody’s request', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  const lines = ['Expect: 100-continue', 'Content-Length: 1000']
  line.say(head(shards, lines, { authorization: null }))
  await line.hears(/^HTTP\/1\.1 401 /)
  line.say(head(chunk))
  expect(answersIn(await line.toTheEnd())).toHaveLength(1)
  expect(upstream.requests).toEqual([])
})

// conformance: Attacks / 16. An attacker hides a second request in a body
test('the body of an admitted request is a body, whatever it looks like', async () => {
  const { heard, requests } = await attack(
    head(shards, [`Content-Length: ${smuggled.length}`]),
    smuggled,
    head(shards, [chunked, close]),
    `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
  )
  expect(answersIn(heard).map(({ status }) => status)).toEqual([200, 200])
  expect(requests.map(({ url }) => url)).toEqual(['/v1/shards', '/v1/shards'])
  expect(requests.map(({ body }) => body.toString())).toEqual([smuggled, smuggled])
})

// biome-ignore format: a table is read by its columns
test.each([
  ['a tunnel',                       405, head('CONNECT cas.example:443')],
  ['a tunnel to a path',             405, head(`CONNECT ${prefix}/v1/chunks`)],
  ['a method nobody knows',          405, head(`BREW ${prefix}/v1/shards`)],
  ['a method in lower case',         405, head(`post ${prefix}/v1/shards`)],
  ['a WebSocket',                    400, head(chunk, ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='])],
  ['a change to h2c',                400, head(chunk, ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'])],
  ['settings of HTTP/2 alone',       400, head(chunk, ['HTTP2-Settings: AAMAAABkAAQAAP__'])],
  ['an upgrade that is not named',   400, head(chunk, ['Upgrade: h2c'])],
  ['the first bytes of HTTP/2',      400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS hello',                    405, Buffer.from('16030100050100000100', 'hex').toString('latin1')],
  ['the whole server',               400, head('OPTIONS *')],
  ['another authority',              421, head(`GET http://evil.example${prefix}/v1/chunks`)],
  ['ours as the user of another',    421, head(`GET http://cas.example@evil.example${prefix}/v1/chunks`)],
  ['ours with a user',               421, head(`GET http://u:p@cas.example${prefix}/v1/chunks`)],
  ['ours with another port',         400, head(`GET http://cas.example:8080${prefix}/v1/chunks`)],
  ['another scheme',                 400, head(`GET ftp://cas.example${prefix}/v1/chunks`)],
  ['an authority without scheme',    400, head(`GET //cas.example${prefix}/v1/chunks`)],
  ['ours without a path',            400, head('GET http://cas.example')],
  ['a target that is no path',       400, head('GET v1/chunks')],
  ['GET with a body',                400, `${head(chunk, ['Content-Length: 5'])}hello`],
  ['GET with chunks',                400, `${head(chunk, [chunked])}5\r\nhello\r\n0\r\n\r\n`],
  ['HEAD with a body',               400, `${head(chunk.replace('GET', 'HEAD'), ['Content-Length: 5'])}hello`],
  ['HEAD with chunks',               400, `${head(chunk.replace('GET', 'HEAD'), [chunked])}0\r\n\r\n`],
])('%s is a %i, and nothing of it reaches the storage', async (_what, status, bytes) => {
  const { upstream, gateway } = unreached
  const line = await dial(gateway.url)
  line.say(bytes, smuggled)
  const heard = await line.hears(/^HTTP\/1\.1 \d{3} [\s\S]*\r\n\r\n/)
  expect(heard.slice(0, 13)).toBe(`HTTP/1.1 ${status} `)
  // Long enough for what follows to arrive, should somebody hand it on.
  await new Promise((done) => setTimeout(done, 30))
  expect(upstream.requests).toEqual([])
  expect(upstream.connections()).toBe(0)
})

test.each(['http', 'https', 'HTTP'])(
  'the absolute form with our authority (%s) is judged by its path and handed on as a path',
  async (scheme) => {
    const { heard, seen } = await attack(
      head(`GET ${scheme}://CAS.example${prefix}/v1/chunks/default/abc?a=1`, [close]),
    )
    expect(heard).toMatch(/^HTTP\/1\.1 200 /)
    expect(seen).toEqual(['GET /v1/chunks/default/abc?a=1'])
  },
)

// conformance: Attacks / 17. An attacker uses CONNECT, an upgrade or the absolute form
test('a read token cannot write by way of the absolute form', async () => {
  const first = `POST https://cas.example${prefix}/v1/shards`
  const authorization = bearer({ scope: 'read' })
  const { heard, seen } = await attack(head(first, [close, 'Content-Length: 0'], { authorization }))
  expect(heard).toMatch(/^HTTP\/1\.1 403 /)
  expect(seen).toEqual([])
})

test('GET that says it has no body has none', async () => {
  const { heard, requests } = await attack(head(chunk, ['Content-Length: 0', close]))
  expect(heard).toMatch(/^HTTP\/1\.1 200 /)
  expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding')
  expect(requests[0]?.headers['content-length'] ?? '0').toBe('0')
})

const answer = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** One storage that misbehaves on its first connection and answers in peace on the next ones. */
async function storageThat(misbehaves: (line: RawLine) => void | Promise<void>) {
  const upstream = await rawUpstream(async (line, index) => {
    if (index === 0) return misbehaves(line)
    for (let asked = 1; ; asked += 1) {
      await line.hears(new RegExp(`(?:[\\s\\S]*?\r\n\r\n){${asked}}`))
      line.say(answer('good'))
    }
  })
  const { gateway } = await openGateway(upstream.url)
  return { upstream, gateway }
}

async function ask(url: string, bytes = head(chunk, [close])): Promise<string> {
  return saidAlone(url, bytes)
}

test('a connection to the storage serves again after a whole request and a whole answer', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  for (let index = 0; index < 5; index += 1) {
    await ask(gateway.url, `${head(shards, [close, 'Content-Length: 5'])}hello`)
    await ask(gateway.url)
  }
  expect(upstream.requests).toHaveLength(10)
  expect(upstream.connections()).toBe(1)
})

const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'

// biome-ignore format: a table is read by its columns
test.each([
  ['a second answer at once',        'GET',  answer('good') + evil],
  ['bytes that are no answer',       'GET',  `${answer('good')}\r\n\0\0evil`],
  ['a body to HEAD',                 'HEAD', `HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n${evil}`],
  ['a body to 204',                  'GET',  `HTTP/1.1 204 No Content\r\n\r\n${evil}`],
  ['a body to 304',                  'GET',  `HTTP/1.1 304 Not Modified\r\nContent-Length: 42\r\n\r\n${evil}`],
  ['more than its length',           'GET',  `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood${evil}`],
  ['more than its last chunk',       'GET',  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n${evil}`],
])('a storage that sends %s answers nobody else with it', async (_what, method, bytes) => {
  const { upstream, gateway } = await storageThat(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(bytes)
  })
  const first = await ask(gateway.url, head(chunk.replace('GET', method), [close]))
  expect(first).not.toContain('evil')
  for (let index = 0; index < 3; index += 1) expect(await ask(gateway.url)).toMatch(/\r\n\r\ngood$/)
  expect(upstream.lines.length).toBeGreaterThan(1)
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
})

test('an answer that the storage sends unasked, while nobody waits, is given to nobody', async () => {
  const { upstream, gateway } = await storageThat(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(answer('good'))
    setTimeout(() => line.say(evil), 50)
  })
  await ask(gateway.url)
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
  expect(await ask(gateway.url)).toMatch(/\r\n\r\ngood$/)
})

// biome-ignore format: a table is read by its columns
test.each([
  ['length and chunks',        'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths',              'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 8\r\n\r\nevilevil'],
  ['no answer at all',         'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a change of protocol',     'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
  ['a status that is none',    'HTTP/1.1 099 Hm\r\nContent-Length: 4\r\n\r\nevil'],
])('an answer with %s is a 502, and its connection is not used again', async (_what, bytes) => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(bytes)
    setTimeout(() => line.socket.end(), 300)
  })
  const { gateway } = await openGateway(upstream.url)
  const heard = await ask(gateway.url, head(shards, ['Content-Length: 0', close]))
  expect(answersIn(heard)).toMatchObject([{ status: 502 }])
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
})

// conformance: Attacks / 16. An attacker hides a second request in a body
test('a connection on which an answer came before the request was sent whole is not used again', async () => {
  const { upstream, gateway } = await storageThat(async (line) => {
    await line.hears('hello')
    line.say(answer('no'))
  })
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 1000']), 'hello')
  await line.hears(/\r\n\r\nno$/)
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
  line.say(smuggled)
  expect(await ask(gateway.url)).toMatch(/\r\n\r\ngood$/)
  expect(upstream.lines[0]?.heard()).not.toContain('smuggled')
  expect(upstream.lines).toHaveLength(2)
})

// conformance: Attacks / 16. An attacker hides a second request in a body
test('a connection on which a request was not sent whole is not used again', async () => {
  const { upstream, gateway } = await storageThat(() => {})
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 1000']), 'hello')
  await (await upstream.line(0)).hears('hello')
  line.socket.destroy()
  expect(await ask(gateway.url)).toMatch(/\r\n\r\ngood$/)
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
  expect(upstream.lines[0]?.heard()).toMatch(/hello$/)
})

// conformance: Attacks / 16. An attacker hides a second request in a body
test('a connection on which an answer was not read whole is not used again', async () => {
  const { upstream, gateway } = await storageThat(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf')
  })
  const line = await dial(gateway.url)
  line.say(head(chunk))
  await line.hears('half')
  line.socket.destroy()
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
  expect(await ask(gateway.url)).toMatch(/\r\n\r\ngood$/)
})

test('a client that leaves takes along all that it asked for without waiting', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n', Buffer.alloc(100_000))
  })
  const { gateway, logLines } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(chunk), head(chunk), head(chunk))
  await line.hears('\r\n\r\n')
  line.socket.destroy()
  await vi.waitFor(() => {
    expect(upstream.lines.map((each) => each.isOver())).toEqual([true])
    expect(logLines.filter((each) => each.includes('request_aborted'))).toHaveLength(3)
  }, 3000)
})

test('what is sent without waiting reaches the storage one after the other, in its order', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  const numbers = Array.from({ length: 8 }, (_, index) => index)
  for (const number of numbers) {
    const isUpload = number % 2 === 0
    const path = isUpload ? shards : chunk
    const body = isUpload ? 'x'.repeat(30_000) : ''
    const length = isUpload ? [`Content-Length: ${body.length}`] : []
    line.say(head(path, [...length, `X-Number: ${number}`, ...(number === 7 ? [close] : [])]), body)
  }
  await line.toTheEnd()
  expect(upstream.requests.map(({ headers }) => Number(headers['x-number']))).toEqual(numbers)
})
