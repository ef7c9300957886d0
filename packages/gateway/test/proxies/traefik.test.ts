import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openCarelessGate } from './careless-gate.ts'
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
import { runTraefik } from './traefik.ts'

const untested = 'that Traefik with the shipped configuration lets nobody in with the wrong key'

const headers = ['Authorization', bearer()]
const writing = ['Authorization', bearer({ scope: 'write' })]

/** What no setting keeps Traefik from; below stands what holds instead. */
const repaired = new Set([
  'a query and harmless encoded characters arrive as they were sent and judged',
  `${prefix}/%73hard does not reach the storage, whoever asks`,
])

async function open(choices: GateChoices = {}) {
  return openGuarded(runTraefik, await openForwardAuth('traefik', choices))
}

describe.skipIf(isMissing(['traefik'], untested))('behind Traefik', () => {
  let guarded: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    guarded = await open()
  })
  afterAll(() => guarded?.close())

  beforeEach(({ task, skip }) => skip(repaired.has(task.name), 'Traefik repairs it first'))

  guardsTheStorage('traefik', () => guarded)

  test('letters that come encoded are decoded before the gate judges them, and arrive as judged', async () => {
    const asking = { path: `${prefix}/v1/%73hards`, method: 'POST' }
    const refused = await askThrough(guarded, { ...asking, headers })
    expect(refused.reached).toEqual([])
    expect(refused.answer.status).toBe(403)
    const admitted = await askThrough(guarded, { ...asking, headers: writing })
    expect(admitted.reached.map(({ target }) => target)).toEqual([shards])
  })

  test('a query and harmless encoded characters arrive as they were sent, but for ; which becomes &', async () => {
    const path = `${prefix}/v1/chunks/a%20b%C3%A4/(c)?from=%2F..//&x=%73+;y`
    const { reached } = await askThrough(guarded, { path, headers })
    expect(reached.map(({ target }) => target)).toEqual([path.replace(';', '&')])
  })

  test('headers that mislead are kept from the storage even if the gate lets them pass', async () => {
    const careless = await openGuarded(runTraefik, await openCarelessGate())
    onTestFinished(careless.close)
    await keepsMisleadingHeaders(careless)
  })

  test('the gate that does not answer is a 500, never a yes', async () => {
    const other = await open()
    onTestFinished(other.close)
    expect((await askThrough(other, { path: chunk, headers })).answer.status).toBe(200)
    await other.gate.close()
    const { answer, reached } = await askThrough(other, { path: chunk, headers })
    expect(reached).toEqual([])
    expect(answer.status).toBe(500)
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
    ['Content-Length', '1'],
    ['Transfer-Encoding', 'chunked'],
  ])(
    'a GET with a body of a byte announced by %s: %s does not reach the storage',
    async (...framing) => {
      const asking = { path: chunk, headers: [...headers, ...framing], unframed: Buffer.from('a') }
      const { answer, reached } = await askThrough(guarded, asking)
      expect(reached).toEqual([])
      expect(answer.status).toBe(401)
    },
  )

  test('a client is not believed where a request comes from or went to', async () => {
    const names = ['For', 'Host', 'Port', 'Prefix', 'Proto', 'Server'].map(
      (n) => `X-Forwarded-${n}`,
    )
    const misled = ['X-Real-IP', 'Forwarded', ...names].flatMap((name) => [name, 'misleading'])
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

  test('a client that hides a header from the gate in Connection does not get it to the storage', async () => {
    const hidden = ['X-HTTP-Method-Override', 'Latchkey-Scope', 'Latchkey-Roles']
    const sent = hidden.flatMap((name) => [name, 'hidden'])
    const hop = ['Connection', hidden.join(', ')]
    const { reached } = await askThrough(guarded, {
      path: chunk,
      headers: [...headers, ...hop, ...sent],
    })
    for (const { headers: told } of reached) expect(told).toMatchObject(identity)
    expect(JSON.stringify(reached)).not.toContain('hidden')
  })

  test('the storage is not asked to change protocols', async () => {
    const upgrade = ['Connection', 'Upgrade', 'Upgrade', 'websocket']
    const { reached } = await askThrough(guarded, {
      path: chunk,
      headers: [...headers, ...upgrade],
    })
    for (const { headers: told } of reached) expect(told).not.toHaveProperty('upgrade')
  })

  test('two tokens are a 401', async () => {
    const asking = { path: chunk, headers: [...headers, ...headers] }
    const { answer, reached } = await askThrough(guarded, asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(401)
  })

  test('another host than that of the storage is a 404', async () => {
    const asking = { path: `http://elsewhere.example${chunk}`, headers }
    const { answer, reached } = await askThrough(guarded, asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(404)
  })

  test('a refused upload leaves the storage alone, and the next request is served', async () => {
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
