/** Requests that bring the same unseen token at the same time share one verification. */

import { bearer, casUrl, issuer, movedClock } from '@latchkey/testing/gate/storage-tokens'
import { expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { asking, outcome, writePath } from '../check/ask.ts'
import { CountingKeys } from './counting-keys.ts'

function opened() {
  const keys = new CountingKeys()
  const gate = createGate({ keys, issuer, casUrl, clock: movedClock().now, failuresPerMinute: 6 })
  return { keys, gate }
}

// conformance: Attacks / 44. An attacker locks out other clients of an address with forged tokens
test('a hundred first requests with one token are one verification', async () => {
  const { keys, gate } = opened()
  const credential = bearer()
  const all = Array.from({ length: 100 }, () => outcome(gate, asking(credential)))
  expect(new Set(await Promise.all(all))).toEqual(new Set(['admitted']))
  expect(keys.verifications).toBe(1)
})

test('each of them is judged for what it asks itself', async () => {
  const { keys, gate } = opened()
  const credential = bearer()
  const reading = outcome(gate, asking(credential))
  const writing = outcome(gate, asking(credential, { method: 'POST', target: writePath }))
  expect(await Promise.all([reading, writing])).toEqual(['admitted', 'insufficient_scope'])
  expect(keys.verifications).toBe(1)
})

test('a forged token that several send at once counts for each who sent it', async () => {
  const { keys, gate } = opened()
  const forged = `${bearer().slice(0, -8)}AAAAAAAA`
  const from = (address: string) => outcome(gate, asking(forged, { address }))
  const first = Array.from({ length: 6 }, () => from('203.0.113.7'))
  const told = await Promise.all([...first, from('203.0.113.8')])
  expect(new Set(told)).toEqual(new Set(['storage_token_invalid']))
  expect(keys.verifications).toBe(1)
  expect(await from('203.0.113.7')).toBe('rate_limited')
  expect(await from('203.0.113.8')).toBe('storage_token_invalid')
})
