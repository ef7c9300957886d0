/** A client that sends requests before it reads the responses makes a listener hold a bounded number of heads. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuse } from '@latchkey/protocol'
import { dial, type RawLine } from '@latchkey/testing/http/raw-line'
import { expect, onTestFinished, test } from 'vitest'
import { serveInOrder } from '../src/http/call.ts'
import { type ListenerOptions, listen } from '../src/http/listener.ts'
import { pooledRandom } from '../src/machine/random.ts'

const headBytes = 90 * 1024

/** As the hub, whose requests of one connection may be under way together, and as storage and gateway. */
const listeners = [
  { name: 'one by one', isInOrder: true },
  { name: 'together', isInOrder: false },
]

/** The heads that Node has parsed and that are not over, by the port of the client. */
function parsedHeads(): Map<number, IncomingMessage[]> {
  const heads = new Map<number, IncomingMessage[]>()
  const add = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    const port = request.socket.remotePort ?? 0
    const own = heads.get(port) ?? []
    heads.set(port, own)
    own.push(request)
    response.once('close', () => own.splice(own.indexOf(request), 1))
  }
  subscribe('http.server.request.start', add)
  onTestFinished(() => void unsubscribe('http.server.request.start', add))
  return heads
}

/** `/download` ends when the test says so. `/endless` is sent as fast as the client reads it. */
async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  released: Promise<void>,
): Promise<void> {
  if (request.url === '/download') {
    response.write('.'.repeat(100))
    await released
    response.end('the end')
    return
  }
  if (request.url === '/endless') {
    const endless = Readable.from(Array(10_000).fill(Buffer.alloc(65_536, '.')))
    // A client that leaves is no failure.
    await pipeline(endless, response).catch(() => {})
    return
  }
  let bytes = 0
  for await (const chunk of request) bytes += chunk.length
  response.end(`[${request.method} ${request.url} ${bytes}]`)
}

async function open(isInOrder: boolean, change: Partial<ListenerOptions> = {}) {
  const failures: unknown[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const fail = (error: unknown) => void failures.push(error)
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    serveRequest(request, response, released)
  const inOrder = serveInOrder(serve, fail)
  const listener = await listen({
    ...{ name: 'shop', host: '127.0.0.1', port: 0, connections: 1000, hosts: ['x'] },
    randomBytes: pooledRandom(),
    serve: isInOrder
      ? inOrder.serve
      : (request, response) => void serve(request, response).catch(fail),
    unknownMethod: refuse('method_not_allowed', 'Only GET is known here.', { allow: 'GET' }),
    ...change,
  })
  onTestFinished(() => listener.stop(0))
  return { ...listener, failures, release }
}

function head(url: string, { bytes = headBytes, method = 'GET', more = '' } = {}): string {
  return `${method} ${url} HTTP/1.1\r\nHost: x\r\nX-Pad: ${'a'.repeat(bytes)}\r\n${more}\r\n`
}

const portOf = (line: RawLine) => line.socket.localPort ?? 0

/** Waits until the listener has read all that it reads. */
async function untilQuiet(heads: Map<number, IncomingMessage[]>): Promise<void> {
  const count = () => [...heads.values()].reduce((sum, own) => sum + own.length, 0)
  for (let before = -1; before !== count(); ) {
    before = count()
    await sleep(300)
  }
}

test.each(listeners)(
  'heads behind an unread download stay unread, and are answered in order afterwards, where requests are served $name',
  async ({ isInOrder }) => {
    const heads = parsedHeads()
    const { url, release } = await open(isInOrder)
    const lines = await Promise.all(Array.from({ length: 8 }, () => dial(url)))
    const paths = Array.from({ length: 31 }, (_, index) => `/${index}`)
    for (const { say } of lines) {
      say(head('/download', { bytes: 1 }), ...paths.map((path) => head(path)))
    }
    await untilQuiet(heads)
    // The download, and one request behind it.
    for (const line of lines) expect(heads.get(portOf(line))).toHaveLength(2)
    release()
    for (const line of lines) {
      const heard = await line.hears('[GET /30 0]')
      const bodies = heard.slice(heard.indexOf('the end')).match(/\[GET \/\d+ 0\]/g)
      expect(bodies).toEqual(paths.map((path) => `[GET ${path} 0]`))
    }
  },
)

test.each(listeners)(
  'bodies behind a held head are read in their turn where requests are served $name',
  async ({ isInOrder }) => {
    const { url, failures, release } = await open(isInOrder)
    const line = await dial(url)
    const length = 3 * 1024 * 1024
    const body = 'b'.repeat(length)
    const upload = (path: string, bytes?: number) =>
      head(path, { method: 'PUT', more: `Content-Length: ${length}\r\n`, ...(bytes && { bytes }) })
    line.say(upload('/first', 1), body, head('/download', { bytes: 1 }))
    line.say(upload('/second'), body, head('/third'), upload('/fourth'), body)
    await sleep(500)
    release()
    const heard = await line.hears('[PUT /fourth')
    expect(heard.match(/\[[^\]]+\]/g)).toEqual([
      `[PUT /first ${length}]`,
      `[PUT /second ${length}]`,
      '[GET /third 0]',
      `[PUT /fourth ${length}]`,
    ])
    line.say(head('/later'))
    await line.hears('[GET /later 0]')
    expect(failures).toEqual([])
  },
)

test('32 requests with small heads are all answered in order', async () => {
  const { url } = await open(true)
  const line = await dial(url)
  const paths = Array.from({ length: 32 }, (_, index) => `/${index}`)
  line.say(paths.map((path) => head(path, { bytes: 1 })).join(''))
  const heard = await line.hears('[GET /31 0]')
  expect(heard.match(/\[GET \/\d+ 0\]/g)).toEqual(paths.map((path) => `[GET ${path} 0]`))
})

test('requests whose expectation is refused count like the others', async () => {
  const heads = parsedHeads()
  const { url } = await open(true)
  const line = await dial(url)
  const refused = head('/', { more: 'Expect: tea\r\n' })
  line.say(head('/download', { bytes: 1 }), ...Array(20).fill(refused))
  await untilQuiet(heads)
  expect(heads.get(portOf(line))).toHaveLength(2)
})

test('a client that leaves with heads unread is noticed while its download is under way', async () => {
  const heads = parsedHeads()
  const { url } = await open(true)
  const line = await dial(url)
  line.socket.pause()
  line.say(head('/endless', { bytes: 1 }), ...Array(31).fill(head('/')))
  await untilQuiet(heads)
  const [download] = heads.get(portOf(line)) ?? []
  expect(download?.socket.destroyed).toBe(false)
  line.socket.destroy()
  await expect.poll(() => download?.socket.destroyed, { timeout: 5000 }).toBe(true)
})

test('an address whose waiting heads take too much memory loses the connections that bring more', async () => {
  const heads = parsedHeads()
  const { url } = await open(true)
  const lines = await Promise.all(Array.from({ length: 200 }, () => dial(url)))
  for (const { say } of lines) {
    say(head('/download', { bytes: 1 }), head('/'), head('/'))
  }
  await untilQuiet(heads)
  const waiting = [...heads.values()].filter((own) => own.some(({ url }) => url === '/'))
  const kept = waiting.filter(([first]) => first?.socket.destroyed === false)
  expect(kept.length * headBytes).toBeLessThan(16 * 1024 * 1024)
  expect(kept.length).toBeGreaterThan(100)
  const other = await dial(url)
  other.say(head('/'), head('/small', { bytes: 1 }))
  await other.hears('[GET /small 0]')
})

test('a head that was left unread for longer than a head may take is still answered', async () => {
  const heads = parsedHeads()
  const { url, release } = await open(true, { requestTimeoutMs: 1000 })
  const line = await dial(url)
  line.say(head('/download', { bytes: 1 }), ...Array(5).fill(head('/')), head('/last'))
  await untilQuiet(heads)
  // Node looks for late heads every 5 s.
  await sleep(7000)
  release()
  await line.hears('[GET /last 0]')
})
