import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bearer, prefix } from '../tokens.ts'
import { openCarelessGate } from './careless-gate.ts'
import { runEnvoy } from './envoy.ts'
import { type GateChoices, openForwardAuth } from './forward-auth-gate.ts'
import {
  askThrough,
  chunk,
  guardsTheStorage,
  keepsMisleadingHeaders,
  shards,
} from './guarantees.ts'
import { openGuarded } from './guarded-storage.ts'

const headers = ['Authorization', bearer()]

async function open(choices: GateChoices = {}) {
  return openGuarded(runEnvoy, await openForwardAuth('envoy', choices))
}

describe('behind Envoy', () => {
  let guarded: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    guarded = await open()
  })
  afterAll(() => guarded?.close())

  guardsTheStorage(() => guarded)

  test('headers that mislead are kept from the storage even if the gate lets them pass', async () => {
    const careless = await openGuarded(runEnvoy, await openCarelessGate())
    onTestFinished(careless.close)
    await keepsMisleadingHeaders(careless)
  })

  test('the gate that does not answer is a 503, never a yes', async () => {
    const other = await open()
    onTestFinished(other.close)
    expect((await askThrough(other, { path: chunk, headers })).answer.status).toBe(200)
    await other.gate.close()
    const { answer, reached } = await askThrough(other, { path: chunk, headers })
    expect(reached).toEqual([])
    expect(answer.status).toBe(503)
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
