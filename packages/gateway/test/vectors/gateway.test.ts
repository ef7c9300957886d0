/** The vectors through the gateway, between a hub that publishes the keys and a storage that tells what it got. */

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cooldownSeconds } from '@latchkey/gate/hub-keys'
import { unixSeconds } from '@latchkey/protocol'
import { gatewaySettings } from '@latchkey/testing/gate/gateway'
import { publishedRevocations } from '@latchkey/testing/gate/published-revocations'
import { countingHandler } from '@latchkey/testing/vectors/handler'
import { complaints } from '@latchkey/testing/vectors/judge'
import { type RawClient, rawClient } from '@latchkey/testing/vectors/raw-client'
import { matrix, requests, requestsThrough, vectors } from '@latchkey/testing/vectors/read-vectors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../../src/gateway/start-gateway.ts'

const storage = countingHandler()
const closers: (() => void)[] = []
let gateway: RunningGateway
let client: RawClient

beforeAll(async () => {
  const revocations = publishedRevocations(() => unixSeconds(vectors.now))
  const hub = await serve((request, response) => {
    if (!revocations.answer(request, response)) response.end(JSON.stringify(vectors.jwks))
  })
  const upstream = await serve((request, response) => {
    request.resume()
    response.setHeader('seen', storage.handleForwarded(request.url ?? '', request.rawHeaders))
    response.end()
  })
  const { issuer, casUrl, leewaySeconds } = vectors
  // By the time of the vectors the gate may ask for keys again, and so finds out that one is unknown.
  let now = unixSeconds(vectors.now - cooldownSeconds)
  const limits = { failuresPerMinute: 0, connections: 1000 }
  gateway = await startGateway(
    gatewaySettings(hub, upstream, { issuer, casUrl, leewaySeconds, limits }),
    { clock: () => now, lines: { write() {}, async close() {} } },
  )
  now = unixSeconds(vectors.now)
  client = rawClient(gateway.url)
})

afterAll(async () => {
  client.close()
  await gateway.stop()
  for (const close of closers) close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  closers.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// conformance: Endpoints / POST /shard and POST /xorb/* need write, every other storage API read
test('every combination of token, method, place and path ends as the vectors say', async () => {
  expect(await complaints(matrix, client.send, storage)).toEqual([])
})

// conformance: Attacks / 13. An attacker makes the checked path differ from the routed path
test('every single request ends as the vectors say', async () => {
  expect(await complaints(requestsThrough('gateway'), client.send, storage)).toEqual([])
})

// conformance: Attacks / 16. An attacker hides a second request in a body
test('what parser and listener do not let pass is refused with a problem document and reaches no storage', async () => {
  const before = storage.handled()
  const withheld = requests.filter(({ notThrough }) => notThrough.gateway !== undefined)
  expect(withheld).not.toEqual([])
  for (const request of withheld) {
    const { status, header, body } = await client.send(request)
    const code = codeOf[status]
    expect(code, request.name).toBeDefined()
    expect(header('content-type'), request.name).toBe('application/problem+json')
    expect(JSON.parse(body).code, request.name).toBe(code)
  }
  expect(storage.handled()).toBe(before)
})

const codeOf: Readonly<Record<number, string>> = {
  400: 'bad_request',
  405: 'method_not_allowed',
  421: 'misdirected_request',
}

// conformance: Attacks / 17. An attacker uses CONNECT, an upgrade or the absolute form
test('CONNECT opens no tunnel', async () => {
  const asked = requests.filter(({ method }) => method === 'CONNECT')
  expect(asked).not.toEqual([])
  for (const request of asked) {
    const { status, header } = await client.send(request)
    expect([status, header('connection')]).toEqual([405, 'close'])
  }
})
