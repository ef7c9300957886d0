import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, bearer, pathOf, sendRaw } from '@latchkey/testing/hub/ask'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, expect, test } from 'vitest'
import { readAnswer, readAnswers, requestText } from './raw-answers.ts'

const path = pathOf('read models/acme/bert@main')
const get = `GET ${path} HTTP/1.1`

const close = 'Connection: close'

/** Between two answers on one connection that is closed after the last. */
const patientMs = 10_000

let world: World
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await world.close()
})

async function start(change: SettingsChange = {}): Promise<void> {
  world = await startWorld(acme, change)
}

function authorization(as = 'writer/write'): string {
  return `Authorization: ${bearer(world, as)}`
}

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(world.hub.url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

// conformance: Malformed requests / A body on a GET has no effect
test('a body that looks like a request is not taken for one', async () => {
  await start()
  const inside = requestText('GET /healthz HTTP/1.1')
  const text = requestText(get, authorization(), `Content-Length: ${inside.length}`) + inside
  expect(readAnswer(await sendRaw(world, text)).status).toBe(200)
})

// conformance: Endpoints / The request has no body
test('a body on a GET changes nothing, and the next request on the connection is read whole', async () => {
  await start()
  const bodies = [
    [`Content-Length: 17`, '{"scope":"write"}'],
    ['Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n'],
  ] as const
  for (const [framing, body] of bodies) {
    const first = requestText(get, authorization(), framing) + body
    const second = requestText('GET /healthz HTTP/1.1', close)
    const answers = readAnswers(await sendRaw(world, first + second, patientMs))
    expect(
      answers.map(({ status }) => status),
      framing,
    ).toEqual([200, 200])
    expect(answers[0]?.json, framing).toHaveProperty('accessToken')
    expect(answers[1]?.json, framing).toEqual({ status: 'ok' })
  }
})

// conformance: Malformed requests / The hub serves pipelined requests
test('pipelined requests are answered in their order, each by its own hub token', async () => {
  await start()
  const write = `GET ${pathOf('write models/acme/bert@main')} HTTP/1.1`
  const text = [
    requestText(write, authorization('writer/write')),
    requestText(write, authorization('reader/write')),
    requestText(write),
    requestText('GET /nowhere HTTP/1.1', authorization()),
    requestText(write, authorization('writer/write'), close),
  ].join('')
  const answers = readAnswers(await sendRaw(world, text, patientMs))
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 401, 404, 200])
  expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(5)
})

// conformance: Malformed requests / The hub serves pipelined requests
test('bytes that are no request end the connection and never take the answer of the request before', async () => {
  await start()
  const valid = requestText(get, authorization())
  const answers = readAnswers(await sendRaw(world, `${valid}NONSENSE\r\n\r\n${valid}`, patientMs))
  const [first, ...rest] = answers.map(({ status }) => status)
  expect(first).toBe(200)
  for (const status of rest) expect([400, 405]).toContain(status)
})

// conformance: Malformed requests / The hub serves pipelined requests
test('one connection serves many requests, and nothing of one stays for the next', async () => {
  await start()
  const text = requestText(get, authorization()) + requestText(get, close)
  const answers = readAnswers(await sendRaw(world, text, patientMs))
  expect(answers.map(({ status }) => status)).toEqual([200, 401])
})

// conformance: Malformed requests / The hub serves unusual clients that follow the standard
test('an HTTP/1.0 client is answered and the connection closed', async () => {
  await start()
  const received = await sendRaw(world, `GET ${path} HTTP/1.0\r\n${authorization()}\r\n\r\n`)
  const [answer] = readAnswers(received)
  expect(answer?.status).toBe(200)
  expect(answer?.headers.get('connection')).toBe('close')
})

// conformance: Malformed requests / The hub serves unusual clients that follow the standard
test('an offer to upgrade the connection is not taken', async () => {
  await start()
  for (const protocol of ['websocket', 'h2c']) {
    const upgrade = ['Connection: Upgrade', `Upgrade: ${protocol}`]
    const received = await sendRaw(world, requestText(get, authorization(), ...upgrade))
    expect(readAnswer(received).status, protocol).toBe(200)
  }
})

// conformance: Malformed requests / The hub serves unusual clients that follow the standard
test('a request that arrives byte by byte is answered like any other', async () => {
  await start()
  const socket = await open()
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  for (const character of requestText(get, authorization(), 'Connection: close')) {
    socket.write(character)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await once(socket, 'close')
  expect(readAnswer(received).status).toBe(200)
})

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('connections beyond the limit are closed, and those within it still served', async () => {
  await start({ limits: { connections: 2 } })
  const first = await open()
  const closed = once(first, 'close')
  const [second, third] = [await open(), await open()]
  // The one that has been idle for longest.
  await closed
  for (const socket of [second, third]) {
    socket.write(requestText(get, authorization()))
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
  }
})

// conformance: Malformed requests / The hub serves unusual clients that follow the standard
test('a client that goes away in the middle of a request harms nobody', async () => {
  await start()
  for (const cut of [1, 20, 80, 150]) {
    const socket = await open()
    socket.write(requestText(get, authorization()).slice(0, cut))
    socket.resetAndDestroy()
  }
  expect((await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })).status).toBe(200)
})

test('connections that break off in the middle of anything do not end the hub', async () => {
  await start()
  const beginnings = [
    requestText('CONNECT cas.example:443 HTTP/1.1'),
    requestText(get, authorization()),
    requestText('NONSENSE'),
    requestText(get, 'Upgrade: h2c', 'Connection: Upgrade'),
    requestText(get, 'Expect: the-moon'),
    'GET ',
  ]
  for (let round = 0; round < 40; round += 1) {
    for (const text of beginnings) {
      const socket = await open()
      socket.write(text)
      if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
      socket.resetAndDestroy()
    }
  }
  const told = await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  expect(told.status).toBe(200)
})

test('a client that asks more than 32 times without waiting for an answer is cut off', async () => {
  await start()
  const many = requestText('GET /openapi.json HTTP/1.1').repeat(200)
  const answers = (await sendRaw(world, many, patientMs)).split('HTTP/1.1 200 OK').length - 1
  expect(answers).toBeLessThanOrEqual(32)
  expect((await ask(world, '/healthz')).status).toBe(200)
})
