import { once } from 'node:events'
import { connect } from 'node:http2'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openCarelessGate } from './careless-gate.ts'
import { runEnvoy } from './envoy.ts'
import { type GateChoices, openForwardAuth } from './forward-auth-gate.ts'
import {
  askThrough,
  chunk,
  guardsTheStorage,
  identity,
  keepsMisleadingHeaders,
  shards,
} from './guarantees.ts'
import { openGuarded } from './guarded-storage.ts'
import { isMissing } from './programs.ts'
import type { Replacement } from './shipped.ts'

const untested = 'that Envoy with the shipped configuration lets nobody in with the wrong key'

const headers = ['Authorization', bearer()]

async function open(choices: GateChoices = {}) {
  return openGuarded(runEnvoy, await openForwardAuth('envoy', choices))
}

async function openCareless(edits: readonly Replacement[] = []) {
  const gate = await openCarelessGate()
  const careless = await openGuarded((addresses) => runEnvoy(addresses, edits), gate)
  onTestFinished(careless.close)
  return careless
}

/** Over HTTP/2 a body comes without any header that announces it. */
async function statusOverHttp2(url: string, method: string, body: string): Promise<unknown> {
  const session = connect(url)
  onTestFinished(() => session.destroy())
  const pseudo = { ':method': method, ':path': chunk, ':authority': 'cas.example' }
  const stream = session.request({ ...pseudo, authorization: bearer() }, { endStream: false })
  stream.end(body)
  const [answered] = await once(stream, 'response')
  stream.resume()
  return answered[':status']
}

describe.skipIf(isMissing(['envoy'], untested))('behind Envoy', () => {
  let guarded: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    guarded = await open()
  })
  afterAll(() => guarded?.close())

  guardsTheStorage('envoy', () => guarded)

  test('headers that mislead are kept from the storage even if the gate lets them pass', async () => {
    // Dropped instead of refused, so that the others arrive where they are taken off.
    const action = 'headers_with_underscores_action'
    const edit = [`${action}: REJECT_REQUEST`, `${action}: DROP_HEADER`] as const
    await keepsMisleadingHeaders(await openCareless([edit]))
  })

  test('a header name with an underscore is a 400 even if the gate lets it pass', async () => {
    const careless = await openCareless()
    const asking = { path: chunk, headers: [...headers, 'latchkey_scope', 'write'] }
    const { answer, reached } = await askThrough(careless, asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(400)
    expect((await askThrough(careless, { path: chunk, headers })).reached).toHaveLength(1)
  })

  test('the gate that does not answer is a 503, never a yes', async () => {
    const other = await open()
    onTestFinished(other.close)
    expect((await askThrough(other, { path: chunk, headers })).answer.status).toBe(200)
    await other.gate.close()
    const { answer, reached } = await askThrough(other, { path: chunk, headers })
    expect(reached).toEqual([])
    expect(answer.status).toBe(503)
    expect(answer.headers['retry-after']).toBe('5')
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(JSON.parse(answer.body)).toMatchObject({ status: 503 })
  })

  test('a gate without keys is a 503 that says when to try again', async () => {
    const other = await open({ withKeys: false })
    onTestFinished(other.close)
    const { answer, reached } = await askThrough(other, { path: chunk, headers })
    expect(reached).toEqual([])
    expect(answer.status).toBe(503)
    expect(answer.headers['retry-after']).toBe('5')
  })

  test.each([
    ['Content-Length', '5'],
    ['Transfer-Encoding', 'chunked'],
  ])(
    'a GET with a body announced by %s: %s is a 400 that the storage does not hear of',
    async (...framing) => {
      const unframed = Buffer.from('hello')
      const asking = { path: chunk, headers: [...headers, ...framing], unframed }
      const { answer, reached } = await askThrough(guarded, asking)
      expect(reached).toEqual([])
      expect(answer.status).toBe(400)
    },
  )

  test('a body of GET or HEAD over HTTP/2 is a 400 that the storage does not hear of', async () => {
    guarded.storage.reached.length = 0
    for (const method of ['GET', 'HEAD']) {
      expect(await statusOverHttp2(guarded.url, method, 'hello')).toBe(400)
    }
    expect(guarded.storage.reached).toEqual([])
    expect(await statusOverHttp2(guarded.url, 'GET', '')).toBe(200)
  })

  test('a GET whose chunks hold nothing arrives as one without a body', async () => {
    const chunked = ['Transfer-Encoding', 'chunked']
    const { reached } = await askThrough(guarded, {
      path: chunk,
      headers: [...headers, ...chunked],
    })
    expect(reached).toHaveLength(1)
    expect(reached[0]?.headers).toMatchObject({ 'content-length': '0' })
    expect(reached[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  test('a client is not believed where a request comes from or went to', async () => {
    const names = ['For', 'Host', 'Port', 'Prefix', 'Proto', 'Server'].map(
      (n) => `X-Forwarded-${n}`,
    )
    const own = ['Original-Path', 'Original-Host', 'External-Address', 'Internal', 'Retry-On']
    const all = ['X-Real-IP', 'Forwarded', ...names, ...own.map((name) => `X-Envoy-${name}`)]
    const misled = all.flatMap((name) => [name, 'misleading'])
    const { reached } = await askThrough(guarded, { path: chunk, headers: [...headers, ...misled] })
    expect(reached).toHaveLength(1)
    expect(reached[0]?.headers).toMatchObject({ ...identity, 'x-forwarded-for': '127.0.0.1' })
    expect(JSON.stringify(reached)).not.toContain('misleading')
  })

  test('a Latchkey- header that nobody knows is refused as well', async () => {
    const asking = { path: chunk, headers: [...headers, 'Latchkey-Roles', 'admin'] }
    const { answer, reached } = await askThrough(guarded, asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(400)
  })

  test('a refusal can be found in the log, is not kept and says its sentence in a header too', async () => {
    const { answer } = await askThrough(guarded, { path: shards, method: 'POST', headers })
    const { detail, requestId } = JSON.parse(answer.body)
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-error-message': detail,
      'x-request-id': requestId,
    })
    expect(guarded.gate.logLines.join()).toContain(requestId)
  })

  test('two tokens are a 401', async () => {
    const { answer, reached } = await askThrough(guarded, {
      path: chunk,
      headers: [...headers, ...headers],
    })
    expect(reached).toEqual([])
    expect(answer.status).toBe(401)
  })

  test('a client cannot announce who it is for the end of the body', async () => {
    const trailer = ['Transfer-Encoding', 'chunked', 'Trailer', 'Latchkey-Scope']
    const asking = { path: chunk, method: 'POST', headers: [...headers, ...trailer] }
    const { answer, reached } = await askThrough(guarded, asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(400)
  })

  test('headers beyond what Envoy reads are a 431', async () => {
    const long = ['Authorization', `Bearer ${'a'.repeat(120_000)}`]
    const { answer, reached } = await askThrough(guarded, { path: chunk, headers: long })
    expect(reached).toEqual([])
    expect(answer.status).toBe(431)
  })

  test('a refused upload leaves the connection usable for the next request', async () => {
    const body = Buffer.alloc(100_000, 'a')
    for (const expected of [403, 403]) {
      const asking = { path: shards, method: 'POST', headers, body }
      expect((await askThrough(guarded, asking)).answer.status).toBe(expected)
    }
    expect((await askThrough(guarded, { path: chunk, headers })).answer.status).toBe(200)
  })

  test('the number behind a ref is cut off, and the query stays as it is', async () => {
    const { reached } = await askThrough(guarded, { path: `${prefix}-12?q=/r/a/b-1/c`, headers })
    expect(reached.map(({ target }) => target)).toEqual([`${prefix}?q=/r/a/b-1/c`])
  })
})
