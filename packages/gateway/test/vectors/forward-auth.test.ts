/** The vectors through the forward-auth endpoint, asked as each of the four proxies asks. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cooldownSeconds } from '@latchkey/gate/hub-keys'
import { unixSeconds } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { gatewaySettings } from '@latchkey/testing/gate/gateway'
import { publishedRevocations } from '@latchkey/testing/gate/published-revocations'
import { identityIn } from '@latchkey/testing/vectors/handler'
import { complaints, type Outcome, type Send } from '@latchkey/testing/vectors/judge'
import { outcomeOf } from '@latchkey/testing/vectors/outcome-of'
import { type RawClient, rawClient } from '@latchkey/testing/vectors/raw-client'
import {
  type HeaderLine,
  matrix,
  requestsThrough,
  type Seen,
  type Sent,
  type Vector,
  vectorGate,
  vectors,
} from '@latchkey/testing/vectors/read-vectors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forwardAuth, forwardAuthEndpoint } from '../../src/forward-auth/forward-auth.ts'
import {
  type ForwardAuthProxy,
  forwardAuthProxies,
} from '../../src/forward-auth/original-request.ts'
import { type RunningGateway, startGateway } from '../../src/gateway/start-gateway.ts'

/** Kept by every proxy: they are about its own connection to the client, or about the body. */
const kept = new Set([
  ...['host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['http2-settings', 'content-length', 'expect', 'proxy-authorization'],
])

/** The question that a proxy asks about a request, with its own headers in the place of a client's. */
const questionOf: Record<ForwardAuthProxy, (request: Sent) => Sent> = {
  nginx: ({ method, target, headers }) => ({
    method: 'GET',
    target: '/',
    headers: [
      ...passedOn(headers).filter(([name]) => !name.includes('_')),
      ['X-Original-Method', method],
      ['X-Original-URI', target],
    ],
  }),
  caddy: forwardedQuestion,
  traefik: forwardedQuestion,
  envoy: ({ method, target, headers }) => ({
    method,
    target,
    headers: [...passedOn(headers), ['Content-Length', '0']],
  }),
}

function forwardedQuestion({ method, target, headers }: Sent): Sent {
  return {
    method: 'GET',
    target: '/',
    headers: [
      ...passedOn(headers),
      ['X-Forwarded-For', '192.0.2.7'],
      ['X-Forwarded-Host', 'cas.example'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Method', method],
      ['X-Forwarded-Uri', target],
    ],
  }
}

function passedOn(headers: readonly HeaderLine[]): readonly HeaderLine[] {
  return headers.filter(([name]) => !kept.has(name.toLowerCase()))
}

/** A yes tells the proxy who is let in, and the proxy tells the storage. */
function answerAsSeen(outcome: Outcome): Outcome {
  if (outcome.status !== 200) return outcome
  const names = ['Scope', 'Repository', 'Repository-Uid', 'Ref', 'Ref-Uid', 'Subject']
  const headers = names.flatMap((name) => [
    `Latchkey-${name}`,
    outcome.header(`latchkey-${name.toLowerCase()}`) ?? '',
  ])
  return { ...outcome, seen: identityIn(headers) as unknown as Seen }
}

/** nginx would turn these into 500. */
function statusForNginx(status: number): number {
  return status === 400 || status === 404 ? 403 : status
}

const revocations = publishedRevocations(() => unixSeconds(vectors.now))
const hub = createServer((request, response) => {
  if (!revocations.answer(request, response)) response.end(JSON.stringify(vectors.jwks))
})
beforeAll(() => new Promise<void>((done) => hub.listen(0, '127.0.0.1', () => done())))
afterAll(() => void hub.close().closeAllConnections())

/** One gate answers them all: until a soak each proxy asks about its share of the combinations, and all together about all. */
const shareOf = (proxy: ForwardAuthProxy) => {
  const count = rounds(forwardAuthProxies.length, 1)
  return matrix.filter((_, at) => at % count === forwardAuthProxies.indexOf(proxy) % count)
}

describe.each(forwardAuthProxies)('asked by %s', (proxy) => {
  let gateway: RunningGateway
  let client: RawClient
  let admitted = 0
  const send: Send = async (request) => {
    const outcome = answerAsSeen(await client.send(questionOf[proxy](request)))
    if (outcome.seen !== undefined) admitted += 1
    return outcome
  }
  const judging = {
    handled: () => admitted,
    statusFor: proxy === 'nginx' ? statusForNginx : (status: number) => status,
  }

  beforeAll(async () => {
    const { port } = hub.address() as AddressInfo
    const { issuer, casUrl, leewaySeconds } = vectors
    // By the time of the vectors the gate may ask for keys again, and so finds out that one is unknown.
    let now = unixSeconds(vectors.now - cooldownSeconds)
    const limits = { failuresPerMinute: 0, connections: 1000 }
    const work = { kind: 'forward-auth', proxy, cacheSeconds: 10 } as const
    const change = { issuer, casUrl, leewaySeconds, limits, work }
    gateway = await startGateway(gatewaySettings(`http://127.0.0.1:${port}`, '', change), {
      clock: () => now,
      lines: { write() {}, async close() {} },
    })
    now = unixSeconds(vectors.now)
    client = rawClient(gateway.url)
  })
  afterAll(async () => {
    client.close()
    await gateway.stop()
  })

  test('its share of the combinations of token, method, place and path ends as the vectors say', async () => {
    expect(await complaints(shareOf(proxy), send, judging)).toEqual([])
  })

  test('every single request ends as the vectors say', async () => {
    expect(await complaints(requestsThrough(proxy), send, judging)).toEqual([])
  })
})

// biome-ignore format: a table is read by its columns
describe.each([
  ['nginx',   'X-Original-Method',  'X-Original-URI'],
  ['caddy',   'X-Forwarded-Method', 'X-Forwarded-Uri'],
  ['traefik', 'X-Forwarded-Method', 'X-Forwarded-Uri'],
] as const)('a question of %s', (proxy, method, target) => {
  const ask = forwardAuthEndpoint(vectorGate(), proxy, { clock: () => unixSeconds(vectors.now) })
  const chunk = `${vectors.places['own']}/v1/chunks/default/abc`
  const shard = `${vectors.places['own']}/v1/shards`
  const token = ['Authorization', `Bearer ${vectors.tokens['read']}`]
  const codeFor = async (headers: readonly string[]) => {
    const question = { method: 'GET', target: chunk, headers: [...token, ...headers] }
    return (await ask(question)).refusal?.code
  }

  // conformance: Attacks / 18. An attacker chooses the request that the forward-auth endpoint checks
  test('must name method and target exactly once, and its own are not taken instead', async () => {
    expect(await codeFor([method, 'GET', target, chunk])).toBeUndefined()
    expect(await codeFor([])).toBe('bad_request')
    expect(await codeFor([method, 'GET'])).toBe('bad_request')
    expect(await codeFor([target, chunk])).toBe('bad_request')
    expect(await codeFor([method, 'GET', target, chunk, target, shard])).toBe('bad_request')
    expect(await codeFor([method, 'GET', method, 'POST', target, chunk])).toBe('bad_request')
  })

  // conformance: Attacks / 18. An attacker chooses the request that the forward-auth endpoint checks
  test('is not swayed by what a client says in the words of another proxy', async () => {
    const named = [method, 'POST', target, shard]
    for (const other of ['X-Original-URI', 'X-Forwarded-Uri'].filter((name) => name !== target)) {
      expect(await codeFor([...named, other, chunk])).toBe('insufficient_scope')
    }
    for (const other of ['X-Original-Method', 'X-Forwarded-Method'].filter((name) => name !== method)) {
      expect(await codeFor([...named, other, 'GET'])).toBe('insufficient_scope')
    }
  })
})

const asHandlers = ['nginx', 'caddy', 'traefik'] as const

/** Each is asked about its share of the combinations, and all together about all; in a soak each is asked about all. */
const shares = rounds(asHandlers.length, 1)

describe.each(asHandlers)('asked by %s, as a handler of Requests', (proxy) => {
  const handle = forwardAuth(vectorGate(), proxy, { clock: () => unixSeconds(vectors.now) })
  let admitted = 0
  const send: Send = async (request) => {
    const { method, target, headers } = questionOf[proxy](request)
    const lines = headers.map(([name, value]): [string, string] => [name, value])
    const response = await handle(
      new Request(`http://gate.example${target}`, { method, headers: lines }),
    )
    const outcome = answerAsSeen(await outcomeOf(response))
    if (outcome.seen !== undefined) admitted += 1
    return outcome
  }

  test('its share of the combinations and every single request end as the vectors say', async () => {
    const statusFor = proxy === 'nginx' ? statusForNginx : (status: number) => status
    const share = matrix.filter((_, at) => at % shares === asHandlers.indexOf(proxy) % shares)
    const all = [...share, ...requestsThrough(proxy)].filter(isLegalAsRequest)
    expect(await complaints(all, send, { handled: () => admitted, statusFor })).toEqual([])
  })
})

/** A Request joins two Authorization headers, so that it does not show which came first. */
function isLegalAsRequest({ notThrough }: Vector): boolean {
  return notThrough.fetch?.includes('joins') !== true
}

/** Envoy asks with the target itself, hands the same on to the storage, and a Request shows neither as it was. */
// conformance: Attacks / 18. An attacker chooses the request that the forward-auth endpoint checks
test('Envoy gets no yes for a path that it hands on in another form than was judged', async () => {
  const path = `${vectors.places['own']}/shard/../v1/telemetry`
  const verdict = async () => {
    const handle = forwardAuth(vectorGate(), 'envoy', { clock: () => unixSeconds(vectors.now) })
    const headers = { authorization: `Bearer ${vectors.tokens['read']}` }
    return handle(new Request(`http://gate.example${path}`, { method: 'POST', headers }))
  }
  const status = await verdict().then(
    (response) => response.status,
    () => 'no such handler',
  )
  expect(status).not.toBe(200)
})
