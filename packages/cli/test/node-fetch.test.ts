import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { nodeFetch } from '../src/network/node-fetch.ts'

const patience = 180_000

const none = { headers: [] }

async function serve(answer: RequestListener) {
  const server = createServer(answer)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, connections: () => connections }
}

/** Says this to whoever connects, and hears what it is asked. */
async function say(words: string) {
  const heard: string[] = []
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (part) => {
      heard.push(part.toString())
      socket.write(words)
    })
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard }
}

const textOf = ({ body }: { body: ReadableStream<Uint8Array> | null }) =>
  text(body ?? ReadableStream.from([]))

it('gives status, headers by any spelling, and the bytes', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(404, 'Not There', { 'X-Request-Id': 'a1', Link: ['<a>', '<b>'] }).end('none')
  })
  const answer = await nodeFetch(url, none)
  expect(answer).toMatchObject({ status: 404, statusText: 'Not There', ok: false })
  expect(answer.headers.get('x-REQUEST-id')).toBe('a1')
  expect(answer.headers.get('link')).toBe('<a>, <b>')
  expect(answer.headers.get('date-of-birth')).toBeNull()
  expect(await textOf(answer)).toBe('none')
})

it('asks for bytes as they are, and says who asks', async () => {
  const { url } = await serve(({ headers }, response) => {
    response.end(JSON.stringify([headers['accept-encoding'], headers['user-agent']]))
  })
  expect(await textOf(await nodeFetch(url, none))).toBe('["identity","latchkey"]')
})

it('sends a body with the length that was announced, and then uses the connection again', async () => {
  const seen: object[] = []
  const { url, connections } = await serve(async (request, response) => {
    const body = (await buffer(request)).toString()
    const { authorization, 'content-length': length } = request.headers
    seen.push({ method: request.method, authorization, length, body })
    response.end('yes')
  })
  const headers: [string, string][] = [
    ['authorization', 'Bearer t'],
    ['content-length', '6'],
  ]
  for (const body of [
    ReadableStream.from([Buffer.from('abc'), Buffer.from('def')]),
    Buffer.from('abcdef'),
  ]) {
    expect(await textOf(await nodeFetch(url, { method: 'POST', headers, body }))).toBe('yes')
  }
  const sent = { method: 'POST', authorization: 'Bearer t', length: '6', body: 'abcdef' }
  expect(seen).toEqual([sent, sent])
  expect(connections()).toBe(1)
})

it.each(['POST', 'PUT', 'DELETE'])(
  'a stream of unknown length in a %s is framed',
  async (method) => {
    const { url, heard } = await say('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    const body = ReadableStream.from([Buffer.from('GET /other HTTP/1.1\r\n\r\n')])
    await nodeFetch(url, { ...none, method, body })
    await vi.waitFor(() => expect(heard.join('')).toMatch(/\r\n0\r\n\r\n$/), patience)
    expect(heard.join('')).toMatch(/transfer-encoding: chunked\r\n/i)
  },
)

it.each([
  ['GET', Buffer.from('x')],
  ['HEAD', ReadableStream.from([])],
  ['POST', new URLSearchParams('a=b')],
])('nothing is sent of a %s with a body that it cannot have', async (method, body) => {
  const { url, connections } = await serve((_, response) => response.end())
  await expect(nodeFetch(url, { ...none, method, body })).rejects.toThrow(TypeError)
  expect(connections()).toBe(0)
})

it.each([
  ['a HEAD', 'HEAD', 200, 0],
  ['a 204', 'GET', 204, 0],
  ['a body that is discarded', 'GET', 200, 1000],
])('%s frees its connection', async (_, method, status, bytes) => {
  const { url, connections } = await serve((_, response) => {
    if (status === 204) response.writeHead(204).end()
    else response.writeHead(200, { 'content-length': bytes }).end(Buffer.alloc(bytes))
  })
  let asked = 0
  // A connection is free a moment after its answer.
  await vi.waitFor(async () => {
    asked += 1
    const answer = await nodeFetch(url, { ...none, method })
    answer.discard()
    expect(connections()).toBeLessThan(asked)
  }, patience)
})

it('of a body without an end that is discarded, little is read', async () => {
  const cut = Promise.withResolvers<void>()
  const { url } = await serve((_, response) => {
    response.on('close', () => cut.resolve())
    const more = () => {
      while (response.write(Buffer.alloc(64 * 1024)));
    }
    response.on('drain', more)
    more()
  })
  ;(await nodeFetch(url, none)).discard()
  await cut.promise
})

it('follows no redirect', async () => {
  const asked: unknown[] = []
  const { url } = await serve(({ url: path }, response) => {
    asked.push(path)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  expect((await nodeFetch(url, { ...none, redirect: 'manual' })).status).toBe(302)
  expect(asked).toEqual(['/'])
})

it('gives a refusal that comes before the body was read', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(401, { connection: 'close' }).end('no')
  })
  const { readable, writable } = new TransformStream<Uint8Array>()
  const writer = writable.getWriter()
  writer.write(Buffer.from('begun')).catch(() => {})
  const answer = await nodeFetch(url, { ...none, method: 'POST', body: readable })
  expect(answer.status).toBe(401)
  await writer.abort().catch(() => {})
})

it('an answer that breaks off is no answer', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 9 })
    response.write('half', () => response.destroy())
  })
  const answer = await nodeFetch(url, none)
  await expect(textOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
})

it('a change of protocol is no answer', async () => {
  const { url } = await say(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  )
  await expect(nodeFetch(url, none)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
})

it('names the code of the system where nothing answers', async () => {
  await expect(nodeFetch('http://127.0.0.1:1/', none)).rejects.toMatchObject({
    cause: { code: 'ECONNREFUSED' },
  })
})

it('gives up a head that never ends', async () => {
  const { url, heard } = await say('HTTP/1.1 200 OK\r\nX-A: ')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = nodeFetch(url, none)
  const refused = expect(asked).rejects.toMatchObject({ cause: { code: 'ETIMEDOUT' } })
  while (heard.length === 0) await new Promise(setImmediate)
  vi.advanceTimersByTime(300_000)
  await refused
})

it('ends when it is called off', async () => {
  const { url } = await serve(() => {})
  const stop = new AbortController()
  const asked = nodeFetch(url, { ...none, signal: stop.signal })
  setImmediate(() => stop.abort())
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
})

it('a body that breaks ends the request with its reason', async () => {
  const { url } = await serve((request) => void request.resume())
  const body = ReadableStream.from(
    (async function* () {
      yield Buffer.from('begun')
      throw new Error('the file is gone')
    })(),
  )
  await expect(nodeFetch(url, { ...none, method: 'POST', body })).rejects.toMatchObject({
    cause: { message: 'the file is gone' },
  })
})
