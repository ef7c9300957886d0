/** While the hub is away the gate goes on with the keys it has, for a day and no longer. */

import { startGateway } from '@latchkey/gateway'
import { unixSeconds } from '@latchkey/protocol'
import { gatewaySettings, scriptedHub } from '@latchkey/testing/gate/gateway'
import { bearer, jwks, movedClock, startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { cooldownSeconds, freshSeconds, maxStaleSeconds } from '../../src/keys/hub-keys.ts'
import { asking, outcome } from '../check/ask.ts'
import { openHubGate, tokenOfUnknownKey } from './hub-gate.ts'

const hour = 3600

/** Lives for as long as a token may. */
const longLived = { exp: unixSeconds(startOfTime + 24 * hour) }

// conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
describe('a hub that is away does not stop tokens whose keys are known', () => {
  test.each([
    ['ten minutes', 600],
    ['23 hours', 23 * hour],
    ['24 hours to the second', maxStaleSeconds],
  ])('for %s', async (_, seconds) => {
    const { hub, gate, clock, failures } = await openHubGate()
    const seen = asking(bearer(longLived))
    expect(await outcome(gate, seen)).toBe('admitted')
    await hub.close()
    clock.pass(seconds)
    expect(await outcome(gate, seen)).toBe('admitted')
    await gate.refreshKeys()
    expect(await outcome(gate, asking(bearer({ ...longLived, jti: 'unseen' })))).toBe('admitted')
    expect(gate.isReady()).toBe(true)
    expect(failures).toHaveLength(1)
  })

  test('and is asked no more often than once a second, whatever unknown keys come', async () => {
    const { hub, gate, clock } = await openHubGate()
    const seen = asking(bearer(longLived))
    await gate.check(seen)
    hub.publish(undefined)
    clock.pass(freshSeconds)
    for (let second = 0; second < 3 * cooldownSeconds; second += 1) {
      expect(await outcome(gate, seen)).toBe('admitted')
      await gate.refreshKeys()
      clock.pass(1)
    }
    // The regular look at the beginning, and one a second for unknown keys.
    expect(hub.fetched()).toBeLessThanOrEqual(2 + 3 * cooldownSeconds)
  })
})

describe('keys that were not confirmed for more than a day', () => {
  // conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
  test('are not trusted: 503, also for tokens that were seen before', async () => {
    const { hub, gate, clock } = await openHubGate()
    const seen = asking(bearer(longLived))
    await gate.check(seen)
    await hub.close()
    clock.pass(maxStaleSeconds + 1)
    expect(await outcome(gate, seen)).toBe('gate_not_ready')
    expect(await outcome(gate, asking(bearer({ ...longLived, jti: 'x' })))).toBe('gate_not_ready')
    expect(gate.isReady()).toBe(false)
  })

  test('are trusted again by the very request that finds the hub back', async () => {
    const { hub, gate, clock } = await openHubGate()
    const seen = asking(bearer(longLived))
    await gate.check(seen)
    clock.pass(maxStaleSeconds + 1)
    expect(await outcome(gate, seen)).toBe('admitted')
    expect(hub.fetched()).toBe(2)
  })

  test('are a day old from their last confirmation, not from their first', async () => {
    const { hub, gate, clock } = await openHubGate()
    await gate.check(asking(bearer(longLived)))
    clock.pass(20 * hour)
    await gate.refreshKeys()
    await hub.close()
    clock.pass(20 * hour)
    const iat = clock.now()
    const later = bearer({ iat, exp: unixSeconds(iat + hour) })
    expect(await outcome(gate, asking(later))).toBe('admitted')
  })
})

describe('a gate that is made while the hub is away', () => {
  // conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
  test('says 503 with a wait, never 401, to right, forged and unknown tokens alike', async () => {
    const { hub, gate } = await openHubGate()
    hub.publish(undefined)
    for (const credential of [bearer(), `${bearer()}x`, `Bearer ${tokenOfUnknownKey()}`]) {
      expect(await gate.check(asking(credential))).toMatchObject({
        ok: false,
        refusal: { code: 'gate_not_ready', retryAfterSeconds: 5 },
      })
    }
    expect(gate.isReady()).toBe(false)
    expect(hub.fetched()).toBe(1)
  })

  test('recovers by itself at the next request after the cooldown', async () => {
    const { hub, gate, clock } = await openHubGate()
    hub.publish(undefined)
    expect(await outcome(gate, asking(bearer()))).toBe('gate_not_ready')
    hub.publish(jwks)
    clock.pass(cooldownSeconds - 1)
    expect(await outcome(gate, asking(bearer()))).toBe('gate_not_ready')
    clock.pass(1)
    expect(await outcome(gate, asking(bearer()))).toBe('admitted')
    expect(hub.fetched()).toBe(2)
  })

  test('lets all requests that wait for the first keys in with one question', async () => {
    const { hub, gate } = await openHubGate()
    const answers = Array.from({ length: 50 }, () => outcome(gate, asking(bearer())))
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['admitted']))
    expect(hub.fetched()).toBe(1)
  })
})

describe('a running gateway', () => {
  async function startWithoutKeys() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const clock = movedClock()
    const hub = await scriptedHub(clock.now)
    hub.publish(undefined)
    const lines = { write: () => {}, async close() {} }
    const settings = gatewaySettings(hub.url, 'http://127.0.0.1:9')
    const gateway = await startGateway(settings, { clock: clock.now, lines })
    onTestFinished(() => gateway.stop())
    return { hub, clock, gateway }
  }

  // conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
  test('that started without keys recovers without any request', async () => {
    const { hub, clock, gateway } = await startWithoutKeys()
    expect(gateway.isReady()).toBe(false)
    expect(hub.fetched()).toBe(1)
    hub.publish(jwks)
    clock.pass(cooldownSeconds)
    vi.advanceTimersByTime(cooldownSeconds * 1000)
    await vi.waitFor(() => expect(gateway.isReady()).toBe(true))
    expect(hub.fetched()).toBe(2)
  })

  test('that nobody asks keeps its keys fresh', async () => {
    const { hub, clock, gateway } = await startWithoutKeys()
    hub.publish(jwks)
    clock.pass(cooldownSeconds)
    vi.advanceTimersByTime(cooldownSeconds * 1000)
    await vi.waitFor(() => expect(gateway.isReady()).toBe(true))
    clock.pass(freshSeconds)
    vi.advanceTimersByTime(cooldownSeconds * 1000)
    await vi.waitFor(() => expect(hub.fetched()).toBe(3))
  })
})
