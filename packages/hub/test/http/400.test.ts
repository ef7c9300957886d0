import { acme } from '@latchkey/testing/hub/acme'
import { ask, bearer, pathOf, sendRaw } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAnswer, requestText } from './raw-answers.ts'

const path = pathOf('read models/acme/bert@main')

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

async function expectBadRequest(...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const { status, headers, json } = readAnswer(await sendRaw(world, text))
    const label = JSON.stringify(text.slice(0, 80))
    expect([status, json['code']], label).toEqual([400, 'bad_request'])
    expect(headers.get('connection'), label).toBe('close')
    expect(headers.get('x-request-id'), label).toBe(json['requestId'])
    expect(headers.get('cache-control'), label).toBe('no-store')
  }
  expect((await ask(world, '/healthz')).status).toBe(200)
}

// conformance: Malformed requests / The hub rejects requests that are ambiguous or not HTTP/1.1
test('bytes that are no request at all are refused, and the hub goes on', async () => {
  const tlsHello = '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'
  for (const text of ['hello\r\n\r\n', tlsHello, '\u0000\u0000\u0000\u0000']) {
    const { status, headers } = readAnswer(await sendRaw(world, text))
    expect([400, 405], JSON.stringify(text)).toContain(status)
    expect(headers.get('connection')).toBe('close')
  }
  expect((await ask(world, '/healthz')).status).toBe(200)
})

// conformance: Malformed requests / The hub rejects requests that are ambiguous or not HTTP/1.1
test('another version of HTTP is a bad request', async () => {
  await expectBadRequest('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', requestText(`GET ${path} HTTP/3.0`))
})

// conformance: Malformed requests / The hub rejects requests that are ambiguous or not HTTP/1.1
test('a raw NUL, space, control or non-ASCII byte in the path is a bad request', async () => {
  for (const character of ['\u0000', ' ', '\u0001', '\u007f', 'é']) {
    await expectBadRequest(requestText(`GET ${path}${character}x HTTP/1.1`))
  }
})

// conformance: Malformed requests / The hub rejects requests that are ambiguous or not HTTP/1.1
test('ambiguous framing is a bad request', async () => {
  const get = `GET ${path} HTTP/1.1`
  await expectBadRequest(
    `${requestText(get, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    `${requestText(get, 'Content-Length: 5', 'Content-Length: 6')}hello`,
    requestText(get, 'Content-Length: -1'),
    requestText(get, 'Transfer-Encoding: chunked, identity'),
    requestText(get, 'Authorization : Bearer x'),
    requestText(get, ' folded: line'),
  )
})

// conformance: Malformed requests / The hub rejects requests that are ambiguous or not HTTP/1.1
test('a bare line feed or a NUL in a header is a bad request', async () => {
  await expectBadRequest(
    `GET ${path} HTTP/1.1\nHost: hub.example\n\n`,
    requestText(`GET ${path} HTTP/1.1`, 'X-Odd: a\u0000b'),
  )
})

// conformance: Malformed requests / The hub rejects requests that are ambiguous or not HTTP/1.1
test('a request without a Host header is a bad request with a body like every other refusal', async () => {
  const authorization = `Authorization: ${bearer(world, 'writer/write')}`
  await expectBadRequest(`GET ${path} HTTP/1.1\r\n${authorization}\r\n\r\n`)
})

// conformance: Malformed requests / The hub rejects requests that are ambiguous or not HTTP/1.1
test('a request with two Host headers is a bad request', async () => {
  const authorization = `Authorization: ${bearer(world, 'writer/write')}`
  await expectBadRequest(requestText(`GET ${path} HTTP/1.1`, 'Host: other.example', authorization))
})

// conformance: Malformed requests / The hub rejects requests that are ambiguous or not HTTP/1.1
test('an expectation that the hub cannot meet is refused with a body like every other refusal', async () => {
  const received = await sendRaw(world, requestText(`GET ${path} HTTP/1.1`, 'Expect: the-moon'))
  const { status, headers, json } = readAnswer(received)
  expect([400, 417]).toContain(status)
  expect(headers.get('x-request-id')).toBe(json['requestId'])
  expect(headers.get('cache-control')).toBe('no-store')
})
