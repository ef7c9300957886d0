/** What a token request may cost that was permitted before: counted, because times say little on a shared machine. */

import crypto from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { type AnyId, unixSeconds } from '@latchkey/protocol'
import { createLog } from '@latchkey/service/observe/log'
import { asyncResourcesOf } from '@latchkey/testing/async-resources'
import { beforeEach, expect, test, vi } from 'vitest'
import { hubCors } from '../../src/http/cors.ts'
import { type ServeTokenRequest, serveTokenRequest } from '../../src/http/serve-token-request.ts'
import { writeDown } from '../../src/http/write-down.ts'
import { levelOf } from '../../src/operations/log-events.ts'
import { createMetrics } from '../../src/operations/metrics.ts'
import { fakeStore, nextTurn, now } from '../access/fake-store.ts'
import { issuingOver, newBearer } from '../issue/issuing-over.ts'

/** The names of what is called of `node:crypto`, by whomever. */
function cryptoCalls(work: () => void): readonly string[] {
  const calls: string[] = []
  const names = Object.keys(crypto).filter((name) =>
    /^(?:create|sign|verify|hash|generate)/.test(name),
  )
  const spies = names.map((name) => {
    const real = Reflect.get(crypto, name)
    return vi.spyOn(crypto, name as 'sign').mockImplementation((...given: unknown[]) => {
      calls.push(name)
      return Reflect.apply(real, crypto, given)
    })
  })
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  }
  return calls
}

const authorization = newBearer()

/** A hub's route for tokens, without a socket. */
function opened() {
  const store = fakeStore()
  const lines: string[] = []
  const log = createLog({ levelOf, level: 'info', write: (line) => lines.push(line) })
  const metrics = createMetrics()
  let ids = 0
  const serve = serveTokenRequest({
    issuing: issuingOver(store),
    cors: hubCors([], false),
    clientAddress: () => '192.0.2.1',
    clock: () => unixSeconds(now),
    newRequestId: () => `request-${++ids}` as AnyId,
    log,
    writeDown: writeDown(log, metrics),
  })
  return { store, lines, metrics, serve }
}

interface Sent {
  status?: number
  headers?: readonly string[]
  body?: string
}

function ask(serve: ServeTokenRequest): Sent {
  const sent: Sent = {}
  const request = {
    method: 'GET',
    url: '/api/models/acme/bert/storage-read-token/main',
    headers: { authorization },
    rawHeaders: ['Host', 'hub.example', 'Authorization', authorization],
  } as IncomingMessage
  const response = {
    writeHead: (status: number, headers: readonly string[]) =>
      Object.assign(sent, { status, headers }),
    end: (body: string) => Object.assign(sent, { body }),
  } as unknown as ServerResponse
  expect(serve(request, response)).toBe(true)
  return sent
}

async function askAndWait(serve: ServeTokenRequest): Promise<Sent> {
  const sent = ask(serve)
  await vi.waitFor(() => expect(sent.body).toBeDefined())
  return sent
}

let hub: ReturnType<typeof opened>
let before: Sent
beforeEach(async () => {
  hub = opened()
  await askAndWait(hub.serve)
  before = await askAndWait(hub.serve)
  await nextTurn()
  hub.store.asked()
  hub.store.versions = 0
})

test('it is answered before anything is waited for, as it was answered when it was decided', () => {
  const sent = ask(hub.serve)
  expect(sent.status).toBe(200)
  const shape = (text = '') => text.replace(/request-\d|[\w-]{20,}\.[\w-]+\.[\w-]+/g, '…')
  expect(shape(sent.headers?.join('\n'))).toBe(shape(before.headers?.join('\n')))
  expect(shape(sent.body)).toBe(shape(before.body))
  expect(JSON.parse(sent.body ?? '')).toMatchObject({ exp: now + 900 })
})

test('its log line has the fields of the one that was decided, in their order', () => {
  ask(hub.serve)
  const changing = /"(?:time|jti|requestId|milliseconds)":("[^"]*"|[\d.]+)/g
  const [, decided, known] = hub.lines.map((line) => line.replace(changing, ''))
  expect(hub.lines).toHaveLength(3)
  expect(known).toBe(decided)
  expect(Object.keys(JSON.parse(hub.lines[2] ?? ''))).toEqual(
    Object.keys(JSON.parse(hub.lines[1] ?? '')),
  )
})

test('it asks the store for its version once per turn, and for nothing else', () => {
  for (const _ of Array.from({ length: 10 })) expect(ask(hub.serve).status).toBe(200)
  expect(hub.store.versions).toBe(1)
  expect(hub.store.asked()).toEqual([])
})

test('it hashes once and signs once; no key is made, imported or exported', () => {
  expect(cryptoCalls(() => ask(hub.serve))).toEqual(['hash', 'sign'])
})

test('it reads no JSON, and writes as JSON only its id', () => {
  const parse = vi.spyOn(JSON, 'parse')
  const stringify = vi.spyOn(JSON, 'stringify')
  ask(hub.serve)
  const [read, written] = [parse.mock.calls.length, stringify.mock.calls.map(([value]) => value)]
  vi.restoreAllMocks()
  expect(read).toBe(0)
  expect(written).toEqual([expect.stringMatching(/^[a-z2-7]{26}$/)])
})

test('it makes no promise', () => {
  expect(asyncResourcesOf(() => ask(hub.serve))).not.toContain('PROMISE')
})

test('beside others of its turn it makes no timer, no tick and nothing else to wait for', () => {
  ask(hub.serve)
  // Node makes one of these for a signature that it has finished already.
  expect(asyncResourcesOf(() => ask(hub.serve)).filter((kind) => kind !== 'SIGNREQUEST')).toEqual(
    [],
  )
})

test('its metrics are added up, and given to prom-client when they are read', async () => {
  const { kit, text } = hub.metrics
  await text()
  const counter = kit.registry.getSingleMetric('latchkey_tokens_issued_total') as Countable
  const incremented = vi.spyOn(counter, 'inc')
  ask(hub.serve)
  expect(incremented).not.toHaveBeenCalled()
  for (const page of [await text(), await text()]) {
    expect(page).toContain('\nlatchkey_tokens_issued_total{scope="read"} 3\n')
    expect(page).toContain('\nlatchkey_token_request_seconds_count{outcome="issued"} 3\n')
  }
  expect(incremented).toHaveBeenCalledOnce()
})

interface Countable {
  inc(): void
}
