import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openCarelessGate } from './careless-gate.ts'
import { type GateChoices, openForwardAuth } from './forward-auth-gate.ts'
import {
  askThrough,
  chunk,
  guardsTheStorage,
  keepsMisleadingHeaders,
  shards,
} from './guarantees.ts'
import { openGuarded } from './guarded-storage.ts'
import { runNginx } from './nginx.ts'
import { isMissing } from './programs.ts'

const untested = 'that nginx with the shipped configuration lets nobody in with the wrong key'
const headers = ['Authorization', bearer()]

async function open(choices: GateChoices = {}) {
  return openGuarded(runNginx, await openForwardAuth('nginx', choices))
}

describe.skipIf(isMissing(['nginx'], untested))('behind nginx', () => {
  let guarded: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    guarded = await open()
  })
  afterAll(() => guarded?.close())

  guardsTheStorage('nginx', () => guarded)

  // conformance: Attacks / 14. An attacker names another method or path in a header
  // conformance: Attacks / 46. An attacker sends another method or host in the query or proxy headers
  test('headers that mislead are kept from the storage even if the gate lets them pass', async () => {
    const careless = await openGuarded(runNginx, await openCarelessGate())
    onTestFinished(careless.close)
    await keepsMisleadingHeaders(careless)
  })

  // conformance: Attacks / 18. An attacker chooses the request that the forward-auth endpoint checks
  test('the gate that does not answer is a 503, never a yes', async () => {
    const other = await open()
    onTestFinished(other.close)
    expect((await askThrough(other, { path: chunk, headers })).answer.status).toBe(200)
    await other.gate.close()
    const { answer, reached } = await askThrough(other, { path: chunk, headers })
    expect(reached).toEqual([])
    expect(answer.status).toBe(503)
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

  test('a GET with a body is a 400 that the storage does not hear of', async () => {
    const asking = { path: chunk, headers, body: Buffer.from('hello') }
    const { answer, reached } = await askThrough(guarded, asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(400)
  })

  test('the location that asks the gate is not served to clients', async () => {
    const { answer, reached } = await askThrough(guarded, { path: '/latchkey-gate', headers })
    expect(reached).toEqual([])
    expect(answer.status).toBe(404)
  })

  test('headers beyond what the gate reads are a 431, not an error of the gate', async () => {
    const long = [1, 2].flatMap((number) => [`X-Long-${number}`, 'a'.repeat(60_000)])
    const asking = { path: chunk, headers: [...headers, ...long] }
    const { answer, reached } = await askThrough(guarded, asking)
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

  test('a preflight is answered for listed origins only, without a token and without the storage', async () => {
    const edit = ['# https://app.example ', 'https://app.example '] as const
    const gate = await openForwardAuth('nginx')
    const other = await openGuarded((addresses) => runNginx(addresses, [edit]), gate)
    onTestFinished(other.close)
    const preflight = (origin: string) =>
      askThrough(other, {
        method: 'OPTIONS',
        path: shards,
        headers: ['Origin', origin, 'Access-Control-Request-Method', 'POST'],
      })
    const listed = await preflight('https://app.example')
    expect(listed.answer.status).toBe(204)
    expect(listed.answer.headers['access-control-allow-origin']).toBe('https://app.example')
    const foreign = await preflight('https://elsewhere.example')
    expect(foreign.answer.status).toBe(401)
    expect(foreign.answer.headers).not.toHaveProperty('access-control-allow-origin')
    expect([...listed.reached, ...foreign.reached]).toEqual([])
    const origin = ['Origin', 'https://app.example']
    const { answer } = await askThrough(other, { path: chunk, headers: [...headers, ...origin] })
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example')
  })
})
