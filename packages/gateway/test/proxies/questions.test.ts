import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { ask } from '@latchkey/testing/http/ask'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ForwardAuthGate, openForwardAuth } from './forward-auth-gate.ts'
import { chunk, notNormal, refusals } from './guarantees.ts'
import { questions } from './questions.ts'

const reading = ['Authorization', bearer()]

describe.each(['traefik', 'envoy'] as const)('the endpoint that %s asks', (proxy) => {
  let gate: ForwardAuthGate
  beforeAll(async () => {
    gate = await openForwardAuth(proxy)
  })
  afterAll(() => gate.close())
  const question = questions[proxy]
  const answerTo = (asked: Parameters<typeof question>[0]) =>
    ask(`http://${gate.address}`, question(asked))

  test('says yes with 200, who is let in and no body', async () => {
    const { status, headers, body } = await answerTo({ path: `${chunk}?x=1`, headers: reading })
    expect({ status, body }).toEqual({ status: 200, body: '' })
    expect(headers).toMatchObject({
      'latchkey-subject': 'ada-id',
      'latchkey-repository': 'models/acme/bert',
      'latchkey-repository-uid': 'bertuid',
      'latchkey-ref': 'refs/heads/main',
      'latchkey-ref-uid': 'mainuid',
      'latchkey-scope': 'read',
    })
  })

  test.each(refusals)('says no to %s with %i', async (_what, status, error, asking) => {
    const answer = await answerTo(asking)
    expect(answer.status).toBe(status)
    expect(answer.headers['www-authenticate']).toContain(error)
    expect(JSON.parse(answer.body)).toMatchObject({ status })
  })

  test.each(notNormal)('says 400 to %s', async (path) => {
    expect((await answerTo({ path, method: 'POST', headers: reading })).status).toBe(400)
  })

  test('refuses a client that says who it is, or names another method', async () => {
    for (const name of ['latchkey-scope', 'Latchkey-Anything', 'x-http-method-override']) {
      const asked = { path: chunk, headers: [...reading, name, 'write'] }
      expect((await answerTo(asked)).status).toBe(400)
    }
  })

  test('does not listen to the headers by which other proxies name a request', async () => {
    const others = {
      traefik: ['X-Original-Method', 'GET', 'X-Original-URI', chunk],
      envoy: ['X-Forwarded-Method', 'GET', 'X-Forwarded-Uri', chunk],
    }
    const headers = [...reading, ...others[proxy]]
    const asked = { path: `${prefix}/shard`, method: 'POST', headers }
    expect((await answerTo(asked)).status).toBe(403)
  })
})

test('the endpoint that traefik asks refuses a question that names two requests', async () => {
  const gate = await openForwardAuth('traefik')
  try {
    for (const name of ['X-Forwarded-Uri', 'X-Forwarded-Method']) {
      const value = name.endsWith('Uri') ? chunk : 'GET'
      const question = questions.traefik({ path: chunk, headers: [...reading, name, value] })
      expect((await ask(`http://${gate.address}`, question)).status).toBe(400)
    }
  } finally {
    await gate.close()
  }
})
