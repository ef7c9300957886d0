import { unixSeconds } from '@latchkey/protocol'
import {
  bearer,
  casUrl,
  issuer,
  keys,
  prefix,
  startOfTime,
} from '@latchkey/testing/gate/storage-tokens'
import { expect, test } from 'vitest'
import { createGate } from '../../src/index.ts'

const headers = ['Authorization', bearer()]
const read = { method: 'GET', target: `${prefix}/v1/chunks/default/abc`, headers }
const end = startOfTime + 900

test('a token is accepted for 30 seconds after its end, unless the operator says otherwise', async () => {
  const at = async (seconds: number) => {
    const clock = () => unixSeconds(seconds)
    return (await createGate({ keys, issuer, casUrl, clock }).check(read)).ok
  }
  expect([await at(end + 29), await at(end + 30)]).toEqual([true, false])
})

test('who may only read is told that a write token is missing', async () => {
  const gate = createGate({ keys, issuer, casUrl, clock: () => startOfTime })
  const write = { method: 'POST', target: `${prefix}/v1/shards`, headers }
  expect(await gate.check(write)).toMatchObject({
    ok: false,
    refusal: { refused: 'scope_insufficient', missing: 'write' },
  })
})

test('a gate is ready once it has keys, and says why it has none', async () => {
  expect(createGate({ keys, issuer, casUrl }).isReady()).toBe(true)
  const told: unknown[] = []
  const hubUrl = 'http://127.0.0.1:1'
  const gate = createGate({ hubUrl, casUrl, onKeyFailure: (error) => told.push(error) })
  await gate.refreshKeys()
  expect(gate.isReady()).toBe(false)
  expect(told).toHaveLength(1)
})
