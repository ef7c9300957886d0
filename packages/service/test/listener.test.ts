/** What a listener promises to whoever serves through it. */

import { connect, type Socket } from 'node:net'
import { refuse } from '@latchkey/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { type Listener, type ListenerOptions, listen } from '../src/http/listener.ts'
import { CannotStart } from '../src/machine/errors.ts'
import { pooledRandom } from '../src/machine/random.ts'

const unknownMethod = refuse('method_not_allowed', 'Only PUT is known here.', { allow: 'PUT' })

async function start(change: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await listen({
    name: 'shop',
    host: '127.0.0.1',
    port: 0,
    connections: 20,
    hosts: ['x'],
    randomBytes: pooledRandom(),
    serve: (_request, response) => response.end('served'),
    unknownMethod,
    ...change,
  })
  onTestFinished(() => listener.stop(0))
  return listener
}

/** Everything that is said until the connection ends, or until `enough` of it was heard. */
function say({ url }: Listener, text: string, enough?: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
    let heard = ''
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
    socket.on('data', (chunk) => {
      heard += chunk
      if (enough !== undefined && heard.includes(enough)) socket.destroy()
    })
  })
}

const waiting = 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n'

test.each(['BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'])(
  'a method that Node does not know gets the refusal given for it: %j',
  async (text) => {
    const heard = await say(await start(), text)
    expect(heard).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/)
    expect(heard).toContain('\r\nAllow: PUT\r\n')
    expect(heard).toContain('Only PUT is known here.')
  },
)

test('its own refusals speak in the name of the service', async () => {
  const heard = await say(await start(), 'GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n')
  expect(heard).toMatch(/^HTTP\/1\.1 400 /)
  expect(heard).toContain('This shop can meet no expectation')
})

test('whoever asks before sending a body is told to go on where nobody else decides', async () => {
  const heard = await say(await start(), `${waiting}\r\n`, 'served')
  expect(heard).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
})

test('whoever asks before sending a body can be refused without having sent it', async () => {
  const listener = await start({
    serveContinue: (_request, response) => response.writeHead(403).end('no'),
  })
  const heard = await say(listener, `${waiting}\r\n`, 'no')
  expect(heard).toMatch(/^HTTP\/1\.1 403 /)
  expect(heard).not.toContain('100 Continue')
})

test('whoever asks before sending a body passes the same checks as the others', async () => {
  let served = 0
  const listener = await start({
    serveContinue: (_request, response) => {
      served += 1
      response.end()
    },
  })
  const heard = await say(listener, `${waiting}Host: y\r\n\r\n`)
  expect(heard).toMatch(/^HTTP\/1\.1 400 /)
  expect(heard).toContain('exactly one Host header')
  expect(served).toBe(0)
})

test('a stop waits for whoever asked before sending a body', async () => {
  let answer: (() => void) | undefined
  const arrived = Promise.withResolvers<void>()
  const listener = await start({
    serveContinue: (_request, response) => {
      answer = () => void response.end('at last')
      arrived.resolve()
    },
  })
  const heard = say(listener, `${waiting}\r\n`, 'at last')
  await arrived.promise
  const stopped = listener.stop(5)
  answer?.()
  expect(await heard).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close/)
  await stopped
})

test('a connection on which nothing moves is closed after the time given', async () => {
  const listener = await start({ idleTimeoutMs: 50, serve: () => {} })
  expect(await say(listener, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('')
})

test.each([0, 1000])(
  'takes %i ms as the time for a request to arrive',
  async (requestTimeoutMs) => {
    const listener = await start({ requestTimeoutMs })
    expect(await say(listener, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'served')).toContain('200 OK')
  },
)

test('a port that is taken is told in one line', async () => {
  const { port } = new URL((await start()).url)
  const second = start({ port: Number(port) })
  await expect(second).rejects.toThrow(CannotStart)
  await expect(second).rejects.toThrow(/^port \d+ on 127\.0\.0\.1 is taken/)
})

/** A client that neither reads, nor ends, nor leaves. */
function stubborn({ url }: Listener, text: string): Socket {
  const socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  })
  socket.on('error', () => {})
  socket.write(text)
  socket.pause()
  onTestFinished(() => void socket.destroy())
  return socket
}

test.each([
  ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['CONNECT with data after it', `CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n${'x'.repeat(140_000)}`],
  ['a chunk that is none', 'PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
])('a client that stays after %s holds neither its place nor a stop', async (_, text) => {
  const serve = () => {}
  const listener = await start({ connections: 3, requestTimeoutMs: 0, idleTimeoutMs: 0, serve })
  for (let count = 0; count < 3; count += 1) stubborn(listener, text)
  await expect
    .poll(() => say(listener, 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n'), { timeout: 60_000 })
    .toContain('405')
  await listener.stop(1)
})

test('what was asked before CONNECT is told to be over when the connection is', async () => {
  let isClosed = false
  const listener = await start({
    serve: (_request, response) => response.once('close', () => (isClosed = true)),
  })
  const socket = stubborn(
    listener,
    'GET / HTTP/1.1\r\nHost: x\r\n\r\nCONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  )
  await expect.poll(() => isClosed, { timeout: 60_000 }).toBe(true)
  socket.destroy()
})
