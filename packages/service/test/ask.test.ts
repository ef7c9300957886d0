/** A question to a hub ends with its signal, reads no more than it may, and survives a kept connection that was closed. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { serving } from '@latchkey/testing/gate/gateway'
import { selfSigned } from '@latchkey/testing/tls/certificates'
import { openTlsFront } from '@latchkey/testing/tls/tls-front'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, askTwice } from '../src/http/ask.ts'

const secret = 'Bearer lk_canary'
const headers = { authorization: secret }
const patient = () => AbortSignal.timeout(60_000)

async function answering(listener: RequestListener) {
  const { url, server } = await serving(listener)
  let opened = 0
  server.on('connection', () => {
    opened += 1
  })
  return { url, opened: () => opened }
}

/** Answers whatever it is asked with these bytes. */
async function saying(words: string): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.write(words))
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function failureOf(asked: Promise<unknown>): Promise<Error> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error)) throw new Error('the question did not fail with an error')
  expect([error.message, error.stack, JSON.stringify(error)].join()).not.toContain('canary')
  return error
}

/** Settles with the first answer, and when that answer's connection is closed. */
function firstAnswer(answer: (response: ServerResponse) => void) {
  const begun = Promise.withResolvers<IncomingMessage>()
  const closed = Promise.withResolvers<void>()
  const listener: RequestListener = (request, response) => {
    request.socket.once('close', () => closed.resolve())
    answer(response)
    begun.resolve(request)
  }
  return { listener, begun: begun.promise, closed: closed.promise }
}

const pour = (response: ServerResponse) => {
  const more = () => {
    while (response.write('x'.repeat(4096)));
  }
  response.on('drain', more)
  more()
}

test.each([301, 302, 303, 307, 308])('a %i is handed back, and not followed', async (status) => {
  const paths: unknown[] = []
  const hub = await answering((request, response) => {
    paths.push(request.url)
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  const answer = await askTwice(`${hub.url}/here`, { headers, signal: patient() })
  answer.discard()
  expect([answer.status, paths]).toEqual([status, ['/here']])
})

describe('a signal ends the question, which fails with its reason and closes the connection', () => {
  const whens: readonly [string, (response: ServerResponse) => void][] = [
    ['while the answer is waited for', () => {}],
    ['while the answer is read', (response) => void response.write('x')],
  ]
  test.each(whens)('%s', async (_, answer) => {
    const { listener, begun, closed } = firstAnswer(answer)
    const hub = await answering(listener)
    const leaving = new AbortController()
    const asked = askTwice(hub.url, { headers, signal: leaving.signal }).then((one) => one.read(9))
    await begun
    const reason = new Error('enough')
    leaving.abort(reason)
    expect(await failureOf(asked)).toBe(reason)
    await closed
    expect(hub.opened()).toBe(1)
  })

  test.each(whens)('by its time, %s', async (_, answer) => {
    const { listener, closed } = firstAnswer(answer)
    const hub = await answering(listener)
    const asked = askTwice(hub.url, { headers, signal: AbortSignal.timeout(200) })
    expect(await failureOf(asked.then((one) => one.read(9)))).toHaveProperty('name', 'TimeoutError')
    if (hub.opened() > 0) await closed
  })

  test('before it is asked, so nobody is', async () => {
    const hub = await answering((_, response) => response.end())
    const reason = new Error('enough')
    const asked = askTwice(hub.url, { headers, signal: AbortSignal.abort(reason) })
    expect(await failureOf(asked)).toBe(reason)
    expect(hub.opened()).toBe(0)
  })
})

describe('an answer that is not read to its end closes its connection', () => {
  test('when it is too long', async () => {
    const { listener, closed } = firstAnswer(pour)
    const hub = await answering(listener)
    const answer = await askTwice(hub.url, { headers, signal: patient() })
    expect(await answer.read(10_000)).toBeUndefined()
    await closed
  })

  test('when nobody wants it', async () => {
    const { listener, closed } = firstAnswer(pour)
    const hub = await answering(listener)
    const answer = await askTwice(hub.url, { headers, signal: patient() })
    answer.discard()
    await closed
  })
})

test('one that is read keeps it for the next question, which is asked again when the hub has closed it', async () => {
  const used = new Map<Socket, number>()
  const bodies: string[] = []
  const hub = await answering(async (request, response) => {
    const { socket } = request
    const before = used.get(socket) ?? 0
    used.set(socket, before + 1)
    bodies.push(Buffer.concat(await request.toArray()).toString())
    if (before === 2) socket.destroy()
    else response.end('yes')
  })
  const ask = async (body: string) => {
    const answer = await askTwice(hub.url, { headers, body, signal: patient() })
    expect((await answer.read(9))?.toString()).toBe('yes')
    // A connection is free a moment after its answer.
    await new Promise((done) => setImmediate(done))
  }
  for (const body of ['1', '2', '3']) await ask(body)
  expect(bodies).toEqual(['1', '2', '3', '3'])
  expect([...used.values()]).toEqual([3, 1])
})

test.each([
  [
    'a 100 and a 103 before the answer',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
    200,
  ],
  ['a 204', '', 204],
  ['a 304', '', 304],
])('%s has no body that would be waited for', async (_, before, status) => {
  const length = status === 200 ? 'content-length: 0\r\n' : ''
  const url = await saying(`${before}HTTP/1.1 ${status} x\r\n${length}\r\n`)
  const answer = await askTwice(url, { headers, signal: patient() })
  expect([answer.status, await answer.read(9)]).toEqual([status, Buffer.alloc(0)])
})

describe('a failure has the code of the system as the code of its cause', () => {
  test.each([
    [
      'a change of protocol',
      'HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n',
      'ECONNRESET',
    ],
    ['what is no HTTP', 'SSH-2.0-x canary\r\n\r\n', 'HPE_INVALID_CONSTANT'],
  ])('%s', async (_, words, code) => {
    const asked = askTwice(await saying(words), { headers, signal: patient() })
    expect(await failureOf(asked)).toMatchObject({ message: 'fetch failed', cause: { code } })
  })

  test('a certificate that nobody here knows, so nothing is asked', async () => {
    let asked = 0
    const hub = await answering((_, response) => {
      asked += 1
      response.end()
    })
    const front = await openTlsFront(selfSigned({ names: ['localhost'] }), hub.url)
    onTestFinished(() => front.close())
    expect(await failureOf(askTwice(front.url, { headers, signal: patient() }))).toMatchObject({
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    })
    expect(asked).toBe(0)
  })

  test('an answer that ends too early', async () => {
    const hub = await answering((_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half')
      setImmediate(() => response.destroy())
    })
    const answer = await askTwice(hub.url, { headers, signal: patient() })
    expect(await failureOf(answer.read(99))).toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  test('a value that no header can have, which is not repeated', async () => {
    const hub = await answering((_, response) => response.end())
    const asked = askTwice(hub.url, {
      headers: { authorization: `${secret}\n` },
      signal: patient(),
    })
    expect(await failureOf(asked)).toMatchObject({ cause: { code: 'ERR_INVALID_CHAR' } })
    expect(hub.opened()).toBe(0)
  })
})

test('a question waits for an answer only as long as it says', async () => {
  const { url } = await serving(() => {})
  const error = await failureOf(ask(url, { maxWaitMs: 50 }))
  expect(error.cause).toMatchObject({ code: 'ETIMEDOUT' })
})

test('a body of many parts is sent as one, and what breaks it is the cause of the failure', async () => {
  const { url } = await serving(async (request, response) => {
    response.end(await buffer(request))
  })
  async function* parts(isBroken: boolean) {
    yield Buffer.from('one ')
    if (isBroken) throw new Error('it cannot be read')
    yield Buffer.from('two')
  }
  const answer = await ask(url, { body: parts(false) })
  expect((await answer.read(100))?.toString()).toBe('one two')
  const error = await failureOf(ask(url, { body: parts(true) }))
  expect(error.cause).toMatchObject({ message: 'it cannot be read' })
})
