import { unixSeconds } from '@latchkey/protocol'
import { scriptedHub } from '@latchkey/testing/gate/gateway'
import { listeningHub } from '@latchkey/testing/gate/listening-hub'
import {
  bearer,
  casUrl,
  issuer,
  keys,
  movedClock,
  prefix,
  startOfTime,
} from '@latchkey/testing/gate/storage-tokens'
import { expect, test } from 'vitest'
import { createGate } from '../../src/index.ts'
import { closing } from './ask.ts'

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
    refusal: { code: 'insufficient_scope', missing: 'write' },
  })
})

test('a gate is ready once it has keys, and says why it has none', async () => {
  expect(createGate({ keys, issuer, casUrl }).isReady()).toBe(true)
  const told: unknown[] = []
  const hubUrl = 'http://127.0.0.1:1'
  const gate = closing(createGate({ hubUrl, casUrl, onKeyFailure: (error) => told.push(error) }))
  await gate.refreshKeys()
  expect(gate.isReady()).toBe(false)
  expect(told).toHaveLength(1)
})

test('a gate of a hub is ready once it knows what was taken back, asks every five seconds, and says why it cannot', async () => {
  const hub = await listeningHub(casUrl)
  const gate = closing(createGate({ hubUrl: hub.url, casUrl }))
  expect(gate.revocations.bounds).toEqual({ normalSeconds: 9, withheldSeconds: 60 })
  await gate.refreshKeys()
  expect(gate.isReady()).toBe(false)
  await gate.revocations.refresh()
  expect(gate.isReady()).toBe(true)
  const told: unknown[] = []
  const onRevocationFailure = (error: unknown) => told.push(error)
  const away = closing(createGate({ hubUrl: 'http://127.0.0.1:1', casUrl, onRevocationFailure }))
  await away.revocations.refresh()
  expect(told).toHaveLength(1)
})

test('a gate that polls keeps its keys fresh without any request', async () => {
  const clock = movedClock()
  const hub = await scriptedHub(clock.now)
  const gate = closing(createGate({ hubUrl: hub.url, issuer, casUrl, clock: clock.now }))
  await Promise.all([gate.refreshKeys(), gate.revocations.refresh()])
  clock.pass(59)
  await gate.revocations.refresh()
  expect(hub.fetched()).toBe(1)
  clock.pass(1)
  await gate.revocations.refresh()
  await expect.poll(hub.fetched).toBe(2)
})
