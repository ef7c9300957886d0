import { bearer } from '@latchkey/testing/gate/storage-tokens'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCaddy } from './caddy.ts'
import { openCarelessGate } from './careless-gate.ts'
import { type GateChoices, openForwardAuth } from './forward-auth-gate.ts'
import { askThrough, chunk, guardsTheStorage, keepsMisleadingHeaders } from './guarantees.ts'
import { openGuarded } from './guarded-storage.ts'
import { isMissing } from './programs.ts'

const untested = 'that Caddy with the shipped configuration lets nobody in with the wrong key'
const headers = ['Authorization', bearer()]

async function open(choices: GateChoices = {}) {
  return openGuarded(runCaddy, await openForwardAuth('caddy', choices))
}

describe.skipIf(isMissing(['caddy'], untested))('behind Caddy', () => {
  let guarded: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    guarded = await open()
  })
  afterAll(() => guarded?.close())

  guardsTheStorage('caddy', () => guarded)

  test('headers that mislead are kept from the storage even if the gate lets them pass', async () => {
    const careless = await openGuarded(runCaddy, await openCarelessGate())
    onTestFinished(careless.close)
    await keepsMisleadingHeaders(careless)
  })

  test('the gate that does not answer is a 502, never a yes', async () => {
    const other = await open()
    onTestFinished(other.close)
    expect((await askThrough(other, { path: chunk, headers })).answer.status).toBe(200)
    await other.gate.close()
    const { answer, reached } = await askThrough(other, { path: chunk, headers })
    expect(reached).toEqual([])
    expect(answer.status).toBe(502)
  })

  test('a gate without keys is a 503 that says when to try again', async () => {
    const other = await open({ withKeys: false })
    onTestFinished(other.close)
    const { answer, reached } = await askThrough(other, { path: chunk, headers })
    expect(reached).toEqual([])
    expect(answer.status).toBe(503)
    expect(answer.headers['retry-after']).toBe('5')
  })
})
