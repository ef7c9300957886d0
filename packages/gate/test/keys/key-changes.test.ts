/** What the hub publishes now is what counts, and only if it can be used. */

import http from 'node:http'
import https from 'node:https'
import { unixSeconds } from '@latchkey/protocol'
import { serving } from '@latchkey/testing/gate/gateway'
import {
  bearer,
  casUrl,
  issuer,
  jwks,
  keys,
  movedClock,
  signingKey,
  startOfTime,
  token,
} from '@latchkey/testing/gate/storage-tokens'
import { generateSigningKey, jwksOf } from '@latchkey/token/signing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { cooldownSeconds, freshSeconds, hubKeys } from '../../src/keys/hub-keys.ts'
import { asking, outcome } from '../check/ask.ts'
import { openHubGate } from './hub-gate.ts'

const longLived = { exp: unixSeconds(startOfTime + 24 * 3600) }
const otherKey = await generateSigningKey('ES256')

describe('a key that leaves the published set', () => {
  // conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
  test('takes its tokens with it, also those that were seen before', async () => {
    const { hub, gate, clock } = await openHubGate()
    const seen = asking(bearer(longLived))
    expect(await outcome(gate, seen)).toBe('admitted')
    hub.publish(jwksOf([otherKey]))
    clock.pass(freshSeconds)
    await gate.refreshKeys()
    expect(await outcome(gate, seen)).toBe('storage_token_invalid')
    expect(await outcome(gate, asking(`Bearer ${token(longLived, otherKey)}`))).toBe('admitted')
  })

  test('is missed within the time that keys count as fresh, whoever asks', async () => {
    const { hub, gate, clock } = await openHubGate()
    const seen = asking(bearer(longLived))
    await gate.check(seen)
    hub.publish(jwksOf([otherKey]))
    clock.pass(freshSeconds - 1)
    expect(await outcome(gate, seen)).toBe('admitted')
    clock.pass(1)
    await gate.check(seen)
    await gate.refreshKeys()
    expect(await outcome(gate, seen)).toBe('storage_token_invalid')
  })

  test('brings its tokens back when it comes back', async () => {
    const { hub, gate, clock } = await openHubGate()
    const seen = asking(bearer(longLived))
    await gate.check(seen)
    hub.publish(jwksOf([otherKey]))
    clock.pass(freshSeconds)
    await gate.refreshKeys()
    expect(await outcome(gate, seen)).toBe('storage_token_invalid')
    hub.publish(jwksOf([otherKey, signingKey]))
    clock.pass(cooldownSeconds)
    expect(await outcome(gate, seen)).toBe('admitted')
  })
})

describe('a good key set is not replaced', () => {
  test.each([
    ['by an empty one', '{"keys":[]}'],
    ['by a document without keys', '{}'],
    ['by null', 'null'],
    ['by a list', '[]'],
    ['by half a document', JSON.stringify(jwks).slice(0, 40)],
    ['by a page of HTML', '<!doctype html><title>Sign in</title>'],
    ['by nothing', ''],
    ['by keys that are none', '{"keys":[null,1,"x",{},[]]}'],
    ['by bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ])('%s', async (_, broken) => {
    let document: string | Buffer = JSON.stringify(jwks)
    let fetched = 0
    const hub = await serving((_request, response) => {
      fetched += 1
      response.end(document)
    })
    const { gate, clock, failures } = await openHubGate(hub.url)
    const seen = asking(bearer(longLived))
    expect(await outcome(gate, seen)).toBe('admitted')
    document = broken
    clock.pass(freshSeconds)
    await gate.refreshKeys()
    expect(fetched).toBe(2)
    expect(failures).toHaveLength(1)
    expect(await outcome(gate, seen)).toBe('admitted')
    expect(await outcome(gate, asking(bearer({ ...longLived, jti: 'unseen' })))).toBe('admitted')
  })
})

describe('keys are looked for again in the background', () => {
  test('so that no request waits for a hub that hangs', async () => {
    let hangs = false
    let asked = () => {}
    const askedAgain = new Promise<void>((resolve) => {
      asked = resolve
    })
    const hub = await serving((_request, response) => {
      if (hangs) asked()
      else response.end(JSON.stringify(jwks))
    })
    const { gate, clock } = await openHubGate(hub.url)
    await gate.check(asking(bearer(longLived)))
    hangs = true
    clock.pass(freshSeconds)
    expect(await outcome(gate, asking(bearer({ ...longLived, jti: 'unseen' })))).toBe('admitted')
    await askedAgain
    expect(await outcome(gate, asking(bearer(longLived)))).toBe('admitted')
    await hub.close()
  })

  test('and not before they are a minute old', async () => {
    const { hub, gate, clock } = await openHubGate()
    await gate.check(asking(bearer(longLived)))
    clock.pass(freshSeconds - 1)
    await gate.check(asking(bearer(longLived)))
    expect(hub.fetched()).toBe(1)
  })
})

describe('a clock that was set back', () => {
  test('does not stop an unknown key from being looked for', async () => {
    const { hub, gate, clock } = await openHubGate()
    await gate.check(asking(bearer(longLived)))
    hub.publish(jwksOf([signingKey, otherKey]))
    clock.pass(-1)
    const named = token({ iat: unixSeconds(startOfTime - 3600) }, otherKey)
    expect(await outcome(gate, asking(`Bearer ${named}`))).toBe('admitted')
  })

  test('does not stop a gate without keys from looking for them', async () => {
    const { hub, gate, clock } = await openHubGate()
    hub.publish(undefined)
    expect(await outcome(gate, asking(bearer()))).toBe('gate_not_ready')
    hub.publish(jwks)
    clock.pass(-10)
    expect(await outcome(gate, asking(bearer()))).toBe('admitted')
  })

  test('does not keep a key alive that the hub has withdrawn', async () => {
    const clock = movedClock()
    let published = keys
    const source = hubKeys({ fetchKeys: async () => published, clock: clock.now })
    await source.refresh()
    published = new Map()
    clock.pass(-30 * 24 * 3600)
    source.known()
    clock.pass(freshSeconds)
    source.known()
    await new Promise((done) => setImmediate(done))
    expect(source.known()?.size).toBe(0)
  })
})

test('keys that are given are never looked for', async () => {
  const asked = [http, https].map((one) =>
    vi.spyOn(one, 'request').mockImplementation(() => {
      throw new Error('nobody is asked')
    }),
  )
  onTestFinished(() => {
    for (const one of asked) one.mockRestore()
  })
  const clock = movedClock()
  const gate = createGate({ keys, issuer, casUrl, clock: clock.now })
  clock.pass(10 * 24 * 3600)
  const lifetime = { iat: clock.now(), exp: unixSeconds(clock.now() + 900) }
  expect(await outcome(gate, asking(bearer(lifetime)))).toBe('admitted')
  expect(await outcome(gate, asking(`Bearer ${token(lifetime, otherKey)}`))).toBe(
    'storage_token_invalid',
  )
  for (const one of asked) expect(one).not.toHaveBeenCalled()
})
