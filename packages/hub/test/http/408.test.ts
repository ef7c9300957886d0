import http from 'node:http'
import { connect } from 'node:net'
import { acme } from '@latchkey/testing/hub/acme'
import { bearer } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { replaceBuiltin } from '@latchkey/testing/replace-builtin'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAnswer, requestText } from './raw-answers.ts'

/** What the hub asks of its sockets, in milliseconds. */
const wanted = { headersTimeout: 0, requestTimeout: 0, checkedEvery: 0 }

const { createServer } = http

/** The timers of a socket cannot be moved by hand, so they run a hundred times faster here. */
function createFasterServer(options: http.ServerOptions, listener: http.RequestListener) {
  const { headersTimeout = 0, requestTimeout = 0, connectionsCheckingInterval = 0 } = options
  Object.assign(wanted, { headersTimeout, requestTimeout })
  wanted.checkedEvery = connectionsCheckingInterval
  const faster = {
    headersTimeout: headersTimeout / 100,
    requestTimeout: requestTimeout / 100,
    connectionsCheckingInterval: connectionsCheckingInterval / 100,
  }
  return createServer({ ...options, ...faster }, listener)
}

let world: World
beforeAll(async () => {
  const putBack = replaceBuiltin(http, { createServer: createFasterServer })
  world = await startWorld(acme)
  putBack()
})
afterAll(() => world.close())

/** Sends bytes, then waits in silence until the hub has had enough. */
function sendAndWait(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(world.hub.url).port), '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('end', () => resolve(received))
    socket.on('error', reject)
    if (text !== '') socket.write(text)
  })
}

async function expectTimeout(text: string): Promise<void> {
  const { status, headers, json } = readAnswer(await sendAndWait(text))
  expect([status, json['code']]).toEqual([408, 'request_timeout'])
  expect(headers.get('connection')).toBe('close')
  expect(headers.get('x-request-id')).toBe(json['requestId'])
}

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('headers that do not arrive whole in time are refused, and so is silence', async () => {
  await Promise.all([expectTimeout('GET /healthz HTTP/1.1\r\nHost: h'), expectTimeout('')])
})

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('a body that does not arrive whole in time is refused', async () => {
  const authorization = `Authorization: ${bearer(world, 'maintainer/admin')}`
  const headers = [authorization, 'Content-Type: application/json', 'Content-Length: 100']
  await expectTimeout(`${requestText('POST /admin/v1/accounts HTTP/1.1', ...headers)}{"name":`)
})

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('a client has 15 seconds for its headers and 30 for its whole request', () => {
  expect(wanted).toEqual({ headersTimeout: 15_000, requestTimeout: 30_000, checkedEvery: 5_000 })
})
