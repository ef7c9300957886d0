/** A proxy is never told to keep a yes for longer than a token may be used after it was taken back. */

import { createGate, noRevocations, type RevocationSource } from '@latchkey/gate'
import { unixSeconds } from '@latchkey/protocol'
import { away, heardFromHub } from '@latchkey/testing/gate/followed-hub'
import { memoryRevocations } from '@latchkey/testing/gate/published-revocations'
import {
  bearer,
  casUrl,
  issuer,
  keys,
  prefix,
  startOfTime,
} from '@latchkey/testing/gate/storage-tokens'
import { expect, test } from 'vitest'
import { forwardAuthEndpoint } from '../../src/forward-auth/forward-auth.ts'

const question = (authorization: string) => ({
  method: 'GET',
  target: '/',
  headers: [
    ...['X-Original-Method', 'GET', 'X-Original-Uri', `${prefix}/v1/chunks/default/abc`],
    ...['Authorization', authorization],
  ],
})

/** Seconds for which the proxy may keep the yes; undefined where the answer is no. */
async function keepSeconds(
  revocations: RevocationSource,
  { cacheSeconds = 60, exp = 900, whenStale = 'reject' as 'reject' | 'allow' } = {},
): Promise<number | undefined> {
  const clock = () => startOfTime
  const gate = createGate({ keys, issuer, casUrl, revocations, clock, whenStale })
  const answerProxy = forwardAuthEndpoint(gate, 'nginx', { cacheSeconds, clock })
  const authorization = bearer({ exp: unixSeconds(startOfTime + exp) })
  const { status, headers } = (await answerProxy(question(authorization))).answer
  return status === 200 ? Number(headers[headers.indexOf('X-Accel-Expires') + 1]) : undefined
}

test.each([
  [0, 9],
  [0.1, 8],
  [4, 5],
  [4.5, 4],
  [8.9, 0],
])('%f seconds after the hub was asked a yes is kept for %i', async (age, seconds) => {
  const { source, pass } = await heardFromHub()
  pass(age)
  expect(await keepSeconds(source)).toBe(seconds)
})

test('the time that the operator chose, and the end of the token, count where they are shorter', async () => {
  const { source } = await heardFromHub()
  expect(await keepSeconds(source, { cacheSeconds: 3 })).toBe(3)
  expect(await keepSeconds(source, { exp: 2 })).toBe(2)
  expect(await keepSeconds(source, { exp: -5 })).toBe(0)
  expect(await keepSeconds(noRevocations, { cacheSeconds: 60 })).toBe(60)
  expect(await keepSeconds(memoryRevocations(), { cacheSeconds: 60 })).toBe(9)
})

test('a yes is not kept while the hub is silent, and none is given when its last head is over', async () => {
  const { source, wire, pass } = await heardFromHub()
  wire.head = away
  pass(9)
  expect(await keepSeconds(source)).toBe(0)
  pass(51)
  expect(await keepSeconds(source)).toBeUndefined()
  expect(await keepSeconds(source, { whenStale: 'allow' })).toBe(0)
})

test('a head that comes again shows that the hub answers, and a yes is kept no longer than the head lives', async () => {
  const { source, wire, pass } = await heardFromHub()
  const again = wire.head()
  wire.head = () => again
  await source.refresh()
  pass(55)
  await source.refresh()
  expect(source.latest()?.ageSeconds()).toBe(0)
  expect(await keepSeconds(source)).toBe(5)
})
