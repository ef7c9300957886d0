/** Bodies pass as they are, as fast as the slower side takes them, and what breaks off is never taken for a whole. */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { openGateway, serving } from '@latchkey/testing/gate/gateway'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { answersIn, headerOf } from '@latchkey/testing/http/raw-answers'
import { dial, head, rawUpstream, saidAlone } from '@latchkey/testing/http/raw-line'
import { recordingUpstream } from '@latchkey/testing/http/recording-upstream'
import { expect, test, vi } from 'vitest'
import { gatewayProcess } from './gateway-process.ts'
import { seeded } from './seeded.ts'

const MiB = 1024 * 1024
const shards = `POST ${prefix}/v1/shards`
const chunk = `GET ${prefix}/v1/chunks/default/abc`
const chunked = 'Transfer-Encoding: chunked'
const close = 'Connection: close'
const isSoak = process.env['LATCHKEY_SOAK'] !== undefined

const echo: RequestListener = (request, response) => {
  const length = request.headers['content-length']
  if (length !== undefined) response.setHeader('Content-Length', length)
  request.pipe(response)
}

interface Sent {
  readonly method?: string
  readonly parts?: Iterable<Buffer> | AsyncIterable<Buffer>
  readonly headers?: Record<string, string>
}

/** Sends the parts as they are asked for, and gives the answer while they are still being sent. */
async function send(url: string, { method = 'POST', parts = [], headers = {} }: Sent) {
  const request = httpRequest(`${url}${prefix}/v1/shards`, {
    method,
    headers: { authorization: bearer({ scope: 'write' }), ...headers },
    agent: false,
  })
  const sending = (async () => {
    for await (const part of parts) if (!request.write(part)) await once(request, 'drain')
    request.end()
  })()
  sending.catch(() => {})
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { request, response, sending }
}

async function bytesOf(response: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const each of response) chunks.push(each)
  return Buffer.concat(chunks)
}

const sizes = [0, 1, 2, 1023, 16_383, 16_384, 65_535, 65_536, 65_537, 300_001, 2 * MiB + 7]

test.each(sizes)(
  'a body of %i bytes is the same at both ends, with length and in chunks',
  async (size) => {
    const { gateway } = await openGateway(echo)
    const random = seeded(`body of ${size}`)
    const body = random.bytes(size)
    const parts = function* () {
      for (let at = 0; at < size; ) {
        const next = Math.min(size, at + 1 + random.number(100_000))
        yield body.subarray(at, next)
        at = next
      }
    }
    for (const headers of [
      { 'content-length': String(size) },
      { 'transfer-encoding': 'chunked' },
    ]) {
      const { response } = await send(gateway.url, { parts: parts(), headers })
      expect(response.statusCode).toBe(200)
      const back = await bytesOf(response)
      expect(back.length).toBe(size)
      expect(back.equals(body)).toBe(true)
    }
  },
)

test('a small body that comes in one packet with its headers arrives whole', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  await saidAlone(
    gateway.url,
    `${head(shards, ['Content-Length: 5'])}hello${head(shards, [chunked, close])}5\r\nhello\r\n0\r\n\r\n`,
  )
  expect(upstream.requests.map(({ body }) => body.toString())).toEqual(['hello', 'hello'])
})

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])('%s may have a body', async (method) => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  const first = head(`${method} ${prefix}/v1/x`, ['Content-Length: 5', close])
  expect(await saidAlone(gateway.url, first, 'hello')).toMatch(/^HTTP\/1\.1 200 /)
  expect(upstream.requests).toMatchObject([{ method, body: Buffer.from('hello') }])
})

/** How often the number is looked at until it has stood still for a while. */
async function settled(number: () => number): Promise<number> {
  for (let before = -1; ; before = number()) {
    await pause(300)
    if (number() === before) return before
  }
}

/** More than all socket buffers between client and storage hold together. */
const farTooMuch = 56 * MiB
const buffered = 40 * MiB

test('a client that does not read makes the storage stop sending', async () => {
  let written = 0
  const piece = Buffer.alloc(64 * 1024, 7)
  const { gateway } = await openGateway(async (_request, response) => {
    response.writeHead(200, { 'Content-Length': farTooMuch })
    while (written < farTooMuch && !response.destroyed) {
      written += piece.length
      if (!response.write(piece)) await once(response, 'drain').catch(() => {})
    }
    response.end()
  })
  const line = await dial(gateway.url)
  line.socket.pause()
  line.say(head(chunk))
  const stoppedAt = await settled(() => written)
  expect(stoppedAt).toBeGreaterThan(0)
  expect(stoppedAt).toBeLessThan(buffered)
  line.socket.removeAllListeners('data')
  let read = 0
  line.socket.on('data', ({ length }) => {
    read += length
  })
  line.socket.resume()
  await vi.waitFor(() => expect(read).toBeGreaterThan(farTooMuch), 20_000)
})

test('a storage that does not read makes the client stop sending', async () => {
  const { gateway } = await openGateway(await deafUpstream())
  const line = await dial(gateway.url)
  line.say(head(shards, [`Content-Length: ${farTooMuch}`]))
  const piece = Buffer.alloc(64 * 1024)
  let written = 0
  const write = () => {
    while (written < farTooMuch && !line.socket.destroyed) {
      written += piece.length
      if (!line.socket.write(piece)) return line.socket.once('drain', write)
    }
    return undefined
  }
  write()
  const stoppedAt = await settled(() => written)
  expect(stoppedAt).toBeGreaterThan(0)
  expect(stoppedAt).toBeLessThan(buffered)
  expect(line.isOver()).toBe(false)
})

/** Takes connections and reads nothing from them. */
async function deafUpstream(): Promise<string> {
  const upstream = await rawUpstream(({ socket }) => void socket.pause())
  return upstream.url
}

test.each([
  ['with length', { 'content-length': String(2 * MiB) }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('an upload %s arrives whole at a storage that reads it slowly', async (_how, headers) => {
  const body = seeded('slow storage').bytes(2 * MiB)
  const { gateway } = await openGateway(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) {
      parts.push(part)
      await pause(5)
    }
    response.end(createHash('sha256').update(Buffer.concat(parts)).digest('hex'))
  })
  const { response } = await send(gateway.url, { parts: [body], headers })
  const told = (await bytesOf(response)).toString()
  expect(told).toBe(createHash('sha256').update(body).digest('hex'))
})

test('an answer that begins while the request is still being sent passes piece by piece', async () => {
  const { gateway } = await openGateway((request, response) => {
    response.writeHead(200)
    request.on('data', (data) => response.write(`got ${data}\n`))
    request.on('end', () => response.end('done\n'))
  })
  const line = await dial(gateway.url)
  line.say(head(shards, [chunked]), '3\r\none\r\n')
  await line.hears('got one')
  line.say('3\r\ntwo\r\n')
  await line.hears('got two')
  line.say('0\r\n\r\n')
  const heard = await line.hears('0\r\n\r\n')
  expect(answersIn(heard)).toMatchObject([{ status: 200, body: 'got one\ngot two\ndone\n' }])
})

test('the headers of an answer reach the client before its body begins', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n')
  })
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(chunk, [close]))
  await line.hears(/content-length: 4\r\n[\s\S]*\r\n\r\n$/i)
  ;(await upstream.line(0)).say('late')
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200, body: 'late' }])
})

const large = isSoak ? 2048 * MiB : 60 * MiB

test(`the gateway needs no more memory for ${large / MiB} MiB than for one`, async () => {
  const piece = seeded('large').bytes(256 * 1024)
  let most = 0
  const pieces = async function* (bytes: number) {
    for (let sent = 0; sent < bytes; sent += piece.length) {
      // Looked at before the last piece: a gateway that keeps a body holds all the others by then.
      const isLast = sent + piece.length >= bytes
      if (sent % (16 * MiB) === 0 || isLast) most = Math.max(most, await gateway.heldMiB())
      yield piece
    }
  }
  const { url } = await serving(async (request, response) => {
    if (request.method === 'POST') return response.end(await lengthOf(request, piece))
    const wanted = Number(request.headers['x-wanted'])
    response.writeHead(200, { 'Content-Length': wanted })
    for await (const each of pieces(wanted)) {
      if (!response.write(each)) await once(response, 'drain')
    }
    return response.end()
  })
  const gateway = await gatewayProcess(url)
  const exchange = async (bytes: number) => {
    most = 0
    const headers = { 'content-length': String(bytes) }
    const up = await send(gateway.url, { parts: pieces(bytes), headers })
    expect((await bytesOf(up.response)).toString()).toBe(`${bytes} bytes`)
    const down = await send(gateway.url, { method: 'GET', headers: { 'x-wanted': String(bytes) } })
    expect(await lengthOf(down.response, piece)).toBe(`${bytes} bytes`)
    return most
  }
  const forOne = await exchange(MiB)
  expect(forOne).toBeGreaterThan(0)
  // V8 still counts some of what was sent since it looked last.
  expect((await exchange(large)) - forOne).toBeLessThan(40)
}, 600_000)

/** Of a body that must be the piece again and again. */
async function lengthOf(body: AsyncIterable<Buffer>, piece: Buffer): Promise<string> {
  let length = 0
  for await (const each of body) {
    for (let at = 0; at < each.length; ) {
      const rest = piece.subarray(length % piece.length)
      const part = each.subarray(at, at + rest.length)
      if (!part.equals(rest.subarray(0, part.length))) return `wrong after ${length} bytes`
      at += part.length
      length += part.length
    }
  }
  return `${length} bytes`
}

test('a client that leaves a download makes the storage’s connection end', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf')
  })
  const { gateway, logLines } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(chunk))
  await line.hears('half')
  line.socket.destroy()
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
  await expect.poll(() => logLines.at(-1)).toContain('"event":"request_aborted"')
  expect(logLines.at(-1)).toContain('"by":"client"')
})

test.each([
  ['with length', ['Content-Length: 1000'], 'half'],
  ['in chunks', [chunked], '4\r\nhalf\r\n'],
])(
  'a client that leaves an upload %s leaves the storage with a broken one',
  async (_how, lines, part) => {
    const endings: string[] = []
    const { gateway } = await openGateway((request) => {
      request.on('data', () => endings.push('data'))
      request.on('end', () => endings.push('end'))
      request.on('error', () => endings.push('broken'))
    })
    const line = await dial(gateway.url)
    line.say(head(shards, lines), part)
    await expect.poll(() => endings).toEqual(['data'])
    line.socket.destroy()
    await expect.poll(() => endings).toEqual(['data', 'broken'])
  },
)

test('a client that leaves before the storage answers makes its connection end', async () => {
  const upstream = await rawUpstream()
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(chunk))
  await (await upstream.line(0)).hears('\r\n\r\n')
  line.socket.destroy()
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
  expect(upstream.lines).toHaveLength(1)
})

test('requests whose client leaves while they wait for a connection never reach the storage', async () => {
  const upstream = await rawUpstream()
  const limits = { failuresPerMinute: 0, connections: 1 }
  const { gateway, logLines } = await openGateway(upstream.url, { limits })
  const line = await dial(gateway.url)
  const upload = [head(shards, ['Content-Length: 5']), 'hello']
  line.say(head(chunk), ...upload, head(`GET ${prefix}/waiting`))
  await (await upstream.line(0)).hears('\r\n\r\n')
  await pause(50)
  line.socket.destroy()
  await expect
    .poll(() => logLines.filter((each) => each.includes('request_aborted')))
    .toHaveLength(3)
  await pause(100)
  const sent = upstream.lines.map((each) => each.heard()).join('')
  expect(sent.match(/ HTTP\/1\.1\r\n/g)).toHaveLength(1)
})

const broken = 'half of the answer'

// biome-ignore format: a table is read by its columns
test.each([
  ['with length',        `HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n${broken}`],
  ['in chunks',          `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n12\r\n${broken}\r\n`],
  ['in half a chunk',    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n${broken}`],
])('an answer %s that the storage breaks off reaches the client broken', async (_how, bytes) => {
  for (const how of ['end', 'resetAndDestroy'] as const) {
    const upstream = await rawUpstream(async (line) => {
      await line.hears('\r\n\r\n')
      line.say(bytes)
      setTimeout(() => line.socket[how](), 50)
    })
    const { gateway, logLines } = await openGateway(upstream.url)
    const line = await dial(gateway.url)
    line.say(head(chunk))
    const heard = await line.toTheEnd()
    expect(heard).toContain(broken)
    expect(() => answersIn(heard)).toThrow()
    await expect.poll(() => logLines.at(-1)).toContain('"event":"request_aborted"')
    expect(logLines.at(-1)).toContain('"by":"storage"')
  }
})

// conformance: Guarantees / The gateway forwards bodies byte for byte, and never a part as the whole
test('an answer whose only end is that of the connection ends with a reset when it is broken off', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n12\r\n${broken}\r\n`)
    setTimeout(() => line.socket.end(), 50)
  })
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(chunk).replace('HTTP/1.1', 'HTTP/1.0'))
  expect(await line.toTheEnd()).toContain(broken)
  expect(line.broke()).toBe('ECONNRESET')
})

test.each(['end', 'resetAndDestroy'] as const)(
  'a storage that leaves (%s) before it answers is a 502 with a problem body',
  async (how) => {
    const upstream = await rawUpstream(async (line) => {
      await line.hears('\r\n\r\n')
      line.socket[how]()
    })
    const { gateway, logLines } = await openGateway(upstream.url)
    const heard = await saidAlone(gateway.url, head(shards, ['Content-Length: 0', close]))
    const [answer] = answersIn(heard)
    expect(answer?.status).toBe(502)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'upstream_unreachable' })
    expect(logLines.at(-1)).toContain('"code":"upstream_unreachable"')
  },
)

test('whoever asks before sending and is admitted is told to go on, once', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 5', 'Expect: 100-continue', close]))
  expect(await line.hears('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  line.say('hello')
  expect(answersIn(await line.toTheEnd()).map(({ status }) => status)).toEqual([100, 200])
  expect(upstream.requests).toMatchObject([{ body: Buffer.from('hello') }])
  expect(upstream.requests[0]?.headers).not.toHaveProperty('expect')
})

test('whoever asks before sending and is refused gets the refusal alone', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  const lines = ['Content-Length: 5', 'Expect: 100-continue']
  line.say(head(shards, lines, { authorization: bearer() }))
  expect(answersIn(await line.toTheEnd()).map(({ status }) => status)).toEqual([403])
  expect(upstream.connections()).toBe(0)
})

test('HEAD has the headers of GET and no body', async () => {
  const { gateway } = await openGateway((_request, response) => {
    response.writeHead(200, { 'Content-Length': 1234, ETag: '"a"' })
    response.end()
  })
  const line = await dial(gateway.url)
  line.say(head(chunk.replace('GET', 'HEAD'), [close]))
  const heard = await line.toTheEnd()
  expect(heard).toMatch(/^HTTP\/1\.1 200 /)
  expect(heard).toMatch(/content-length: 1234\r\n/i)
  expect(heard).toMatch(/\r\n\r\n$/)
})

// biome-ignore format: a table is read by its columns
test.each([
  [204, { 'X-A': '1' },                              ''],
  [304, { ETag: '"a"' },                             ''],
  [206, { 'Content-Range': 'bytes 2-5/10' },         'cdef'],
  [416, { 'Content-Range': 'bytes */10' },           ''],
  [302, { Location: 'https://elsewhere.example/' },  'there'],
  [500, { 'Content-Type': 'text/plain' },            'the storage’s own'],
  [401, { 'WWW-Authenticate': 'Basic' },             'the storage’s own'],
])('%i of the storage reaches the client as it is', async (status, headers, body) => {
  const { gateway } = await openGateway((request, response) => {
    expect(request.headers.range).toBe('bytes=2-5')
    response.writeHead(status, headers)
    response.end(body)
  })
  const heard = await saidAlone(gateway.url, head(chunk, ['Range: bytes=2-5', close]))
  const [answer, ...more] = answersIn(heard)
  expect(more).toEqual([])
  expect(answer?.status).toBe(status)
  expect(Buffer.from(answer?.body ?? '', 'latin1').toString()).toBe(body)
  for (const [name, value] of Object.entries(headers)) {
    expect(headerOf(answer ?? { status, headers: [], body }, name.toLowerCase())).toBe(value)
  }
})

test.each([
  ['103 Early Hints', 'Link: </a>; rel=preload\r\n'],
  ['102 Processing', ''],
])('%s from the storage is passed over', async (line, headers) => {
  const upstream = await rawUpstream(async (conversation) => {
    await conversation.hears('\r\n\r\n')
    conversation.say(`HTTP/1.1 ${line}\r\n${headers}\r\n`)
    await pause(20)
    conversation.say('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
  const { gateway } = await openGateway(upstream.url)
  const heard = await saidAlone(gateway.url, head(shards, ['Content-Length: 0', close]))
  expect(answersIn(heard)).toMatchObject([{ status: 200, body: 'ok' }])
})

// RFC 9110 §15.2 wants it passed over; the HTTP client of the gateway takes it for a broken answer.
test('100 Continue that nobody asked the storage for is a 502, and nothing after it is believed', async () => {
  const upstream = await rawUpstream(async (conversation) => {
    await conversation.hears('\r\n\r\n')
    conversation.say('HTTP/1.1 100 Continue\r\n\r\n')
    await pause(20)
    conversation.say('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
  const { gateway } = await openGateway(upstream.url)
  const heard = await saidAlone(gateway.url, head(shards, ['Content-Length: 0', close]))
  expect(answersIn(heard)).toMatchObject([{ status: 502 }])
})

test('a storage that says no in the middle of an upload is heard', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much')
  })
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  line.say(head(shards, [`Content-Length: ${MiB}`]), 'a beginning')
  const heard = await line.hears('too much')
  expect(answersIn(heard)).toMatchObject([{ status: 413, body: 'too much' }])
})

test.each([
  ['at once', 0],
  ['in its own time', 25],
])(
  'a refused client that writes 64 MiB %s before it reads can read its refusal',
  async (_how, pauseMs) => {
    const upstream = await recordingUpstream()
    const { gateway } = await openGateway(upstream.url)
    const line = await dial(gateway.url)
    line.socket.pause()
    const bytes = 64 * MiB
    line.say(head(shards, [`Content-Length: ${bytes}`], { authorization: null }))
    const piece = Buffer.alloc(MiB / 2)
    for (let sent = 0; sent < bytes && line.broke() === undefined; sent += piece.length) {
      if (!line.socket.write(piece)) {
        await once(line.socket, 'drain').catch(() => {})
      }
      if (pauseMs > 0) await pause(pauseMs)
    }
    expect(line.broke()).toBeUndefined()
    line.socket.resume()
    expect(await line.hears(/^HTTP\/1\.1 401 [\s\S]*\}$/)).toContain('storage_token_missing')
    expect(upstream.connections()).toBe(0)
  },
)

test('a connection of a client serves one request after another', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url)
  const line = await dial(gateway.url)
  for (let count = 1; count <= 3; count += 1) {
    line.say(`${head(shards, ['Content-Length: 5'])}hello`)
    await vi.waitFor(() => expect(line.heard().match(/from the storage/g)).toHaveLength(count))
  }
  expect(answersIn(line.heard()).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(upstream.connections()).toBe(1)
})

const good = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood'

/** Answers the first request of a connection, and leaves when a second one comes. */
async function forgetfulUpstream() {
  return rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(good)
    await line.hears(/\r\n\r\n[\s\S]*\r\n\r\n/)
    line.socket.end()
  })
}

test('a kept connection that the storage leaves as it is used again costs a GET nothing', async () => {
  const upstream = await forgetfulUpstream()
  const { gateway } = await openGateway(upstream.url)
  for (let index = 0; index < 2; index += 1) {
    const heard = await saidAlone(gateway.url, head(chunk, [close]))
    expect(answersIn(heard)).toMatchObject([{ status: 200, body: 'good' }])
  }
  expect(upstream.lines).toHaveLength(2)
})

test('what may change something is never sent twice', async () => {
  const upstream = await forgetfulUpstream()
  const { gateway } = await openGateway(upstream.url)
  await saidAlone(gateway.url, head(chunk, [close]))
  const heard = await saidAlone(gateway.url, head(shards, ['Content-Length: 0', close]))
  expect(answersIn(heard)).toMatchObject([{ status: 502 }])
  const sent = upstream.lines.map((line) => line.heard()).join('')
  expect(sent.match(/POST /g)).toHaveLength(1)
})

test('GET is asked again once and no more', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.socket.destroy()
  })
  const { gateway } = await openGateway(upstream.url)
  const heard = await saidAlone(gateway.url, head(chunk, [close]))
  expect(answersIn(heard)).toMatchObject([{ status: 502 }])
  expect(upstream.lines.length).toBe(2)
})

test('GET is not asked again when its answer has begun', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf')
    line.socket.end()
  })
  const { gateway } = await openGateway(upstream.url)
  await saidAlone(gateway.url, head(chunk, [close]))
  expect(upstream.lines).toHaveLength(1)
})
