/** Unknown key ids: the hub is asked, and never hammered. */

import { rounds } from '@latchkey/testing/chance'
import {
  bearer,
  casUrl,
  issuer,
  movedClock,
  signingKey,
  startOfTime,
  token,
} from '@latchkey/testing/gate/storage-tokens'
import { type KeySet, readKeySet } from '@latchkey/token'
import { generateSigningKey, jwksOf } from '@latchkey/token/signing'
import { describe, expect, test, vi } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { freshSeconds, hubKeys, unknownKeySeconds } from '../../src/keys/hub-keys.ts'
import { asking, outcome } from '../check/ask.ts'
import { type HubGate, openHubGate, tokenOfUnknownKey } from './hub-gate.ts'

const flood = rounds(300, 10_000)

function unknown({ gate }: HubGate): Promise<string> {
  return outcome(gate, asking(`Bearer ${tokenOfUnknownKey()}`))
}

async function ready(): Promise<HubGate> {
  const opened = await openHubGate()
  expect(await outcome(opened.gate, asking(bearer()))).toBe('admitted')
  expect(opened.hub.fetched()).toBe(1)
  return opened
}

describe('thousands of requests with random key ids', () => {
  test('ask the hub once a second when they come one after the other', async () => {
    const opened = await ready()
    const began = opened.clock.now()
    for (let count = 0; count < flood; count += 1) {
      if ((await unknown(opened)) !== 'storage_token_invalid') expect.unreachable()
    }
    const seconds = opened.clock.now() - began
    expect(seconds).toBe((flood - 1) * unknownKeySeconds)
    expect(opened.hub.fetched()).toBe(2 + seconds)
  })

  // conformance: Guarantees / An unavailable hub does not stop tokens with known keys
  // conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
  test('ask the hub once a second when they come all at once', async () => {
    const opened = await ready()
    for (let second = 1; second <= 3; second += 1) {
      opened.clock.pass(unknownKeySeconds)
      const outcomes = await Promise.all(Array.from({ length: flood }, () => unknown(opened)))
      expect(new Set(outcomes)).toEqual(new Set(['storage_token_invalid']))
    }
    const seconds = opened.clock.now() - startOfTime
    expect(seconds).toBeLessThanOrEqual(6)
    expect(opened.hub.fetched()).toBeLessThanOrEqual(2 + seconds)
  })

  test('ask a hub that is away no more often', async () => {
    const opened = await ready()
    opened.hub.publish(undefined)
    const outcomes = await Promise.all(Array.from({ length: flood }, () => unknown(opened)))
    expect(new Set(outcomes)).toEqual(new Set(['gate_not_ready']))
    expect(opened.hub.fetched()).toBe(2)
    expect(opened.failures).toHaveLength(1)
  })

  test('ask nobody before the second is over, and all with one question then', async () => {
    const over = Promise.withResolvers<void>()
    const clock = movedClock()
    const published = await readKeySet(jwksOf([signingKey]))
    const fetchKeys = vi.fn(async () => published)
    const keys = hubKeys({ fetchKeys, clock: clock.now, wait: () => over.promise })
    const gate = createGate({ keys, issuer, casUrl, clock: clock.now })
    const ask = () => outcome(gate, asking(`Bearer ${tokenOfUnknownKey()}`))
    // The look for the first keys does not delay the one for the first unknown key.
    expect(await ask()).toBe('storage_token_invalid')
    const outcomes = Array.from({ length: 100 }, ask)
    await new Promise((done) => setImmediate(done))
    expect(fetchKeys).toHaveBeenCalledTimes(2)
    // A clock that turns to the next second meanwhile begins no other look.
    clock.pass(unknownKeySeconds)
    outcomes.push(ask())
    await new Promise((done) => setImmediate(done))
    over.resolve()
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['storage_token_invalid']))
    expect(fetchKeys).toHaveBeenCalledTimes(3)
  })

  test('do not keep tokens of known keys waiting or out', async () => {
    const opened = await ready()
    opened.clock.pass(unknownKeySeconds)
    const answers = Array.from({ length: 100 }, () => unknown(opened))
    expect(await outcome(opened.gate, asking(bearer({ jti: 'another' })))).toBe('admitted')
    await Promise.all(answers)
  })
})

describe('a new key of the hub', () => {
  const newKey = generateSigningKey('ES256')

  test('is found by the first token that names it', async () => {
    const { gate, hub, clock } = await ready()
    const fresh = await newKey
    hub.publish(jwksOf([signingKey, fresh]))
    clock.pass(unknownKeySeconds)
    expect(await outcome(gate, asking(`Bearer ${token({}, fresh)}`))).toBe('admitted')
    expect(await outcome(gate, asking(bearer()))).toBe('admitted')
    expect(hub.fetched()).toBe(2)
  })

  test('is found at once by the first token, right after a regular look for keys', async () => {
    const { gate, hub, clock } = await ready()
    const fresh = await newKey
    clock.pass(freshSeconds)
    expect(await outcome(gate, asking(bearer()))).toBe('admitted')
    await expect.poll(() => hub.fetched()).toBe(2)
    hub.publish(jwksOf([fresh]))
    expect(await outcome(gate, asking(`Bearer ${token({}, fresh)}`))).toBe('admitted')
    expect(hub.fetched()).toBe(3)
  })

  test('is found by every token that came during a look which began before the key was published', async () => {
    const clock = movedClock()
    const before = await readKeySet(jwksOf([signingKey]))
    const after = await readKeySet(jwksOf([signingKey, await newKey]))
    const slow = Promise.withResolvers<KeySet>()
    const looks = [Promise.resolve(before), slow.promise, Promise.resolve(after)]
    const fetchKeys = vi.fn(() => looks.shift() ?? Promise.reject(new Error('a look too many')))
    const keys = hubKeys({ fetchKeys, clock: clock.now })
    await keys.refresh()
    clock.pass(freshSeconds)
    expect(keys.known()).toBe(before)
    const refresh = vi.fn(keys.refresh)
    const gate = createGate({ keys: { ...keys, refresh }, issuer, casUrl, clock: clock.now })
    const fresh = await newKey
    const outcomes = Array.from({ length: 5 }, (_, index) =>
      outcome(gate, asking(`Bearer ${token({ jti: `token-${index}` }, fresh)}`)),
    )
    await expect.poll(() => refresh.mock.calls.length).toBe(5)
    slow.resolve(new Map(before))
    expect(await Promise.all(outcomes)).toEqual(Array(5).fill('admitted'))
    expect(fetchKeys).toHaveBeenCalledTimes(3)
  })

  test('is found by each of many tokens that name it at once, with one question', async () => {
    const { gate, hub, clock } = await ready()
    const fresh = await newKey
    hub.publish(jwksOf([signingKey, fresh]))
    clock.pass(unknownKeySeconds)
    const answers = Array.from({ length: 50 }, (_, index) =>
      outcome(gate, asking(`Bearer ${token({ jti: `token-${index}` }, fresh)}`)),
    )
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['admitted']))
    expect(hub.fetched()).toBe(2)
  })

  test('is found by its first token, however many unknown ids came just before', async () => {
    const opened = await ready()
    for (const fresh of [await newKey, await generateSigningKey('EdDSA')]) {
      for (let count = 0; count < 5; count += 1) await unknown(opened)
      opened.hub.publish(jwksOf([fresh]))
      expect(await outcome(opened.gate, asking(`Bearer ${token({}, fresh)}`))).toBe('admitted')
    }
  })

  test('does not make a forged token that names it right', async () => {
    const { gate, hub, clock } = await ready()
    const fresh = await newKey
    hub.publish(jwksOf([signingKey, fresh]))
    clock.pass(unknownKeySeconds)
    const [header] = token({}, fresh).split('.')
    const [, payload, signature] = token().split('.')
    const forged = asking(`Bearer ${header}.${payload}.${signature}`)
    expect(await outcome(gate, forged)).toBe('storage_token_invalid')
  })
})

describe('a token whose key the hub does not have', () => {
  test('is refused for good only after the hub was asked since it came', async () => {
    const opened = await ready()
    for (let looks = 2; looks < 5; looks += 1) {
      expect(await unknown(opened)).toBe('storage_token_invalid')
      expect(opened.hub.fetched()).toBe(looks)
    }
  })

  test('is not refused for good while the hub is away', async () => {
    const opened = await ready()
    const request = asking(`Bearer ${tokenOfUnknownKey()}`)
    opened.hub.publish(undefined)
    for (let count = 0; count < 3; count += 1) {
      expect(await outcome(opened.gate, request)).toBe('gate_not_ready')
    }
  })
})
