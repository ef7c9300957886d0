/** A running hub rotates its keys by itself, and serves what it signs with. */

import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { decodeProtectedHeader, type JSONWebKeySet } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startHub } from '../../src/index.ts'

const hour = 3600
const what = 'write models/acme/bert@main'
const quiet = { write() {}, async close() {} }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})

let world: World
afterEach(async () => {
  vi.useRealTimers()
  await world.close()
})

async function published(url = world.hub.url): Promise<readonly (string | undefined)[]> {
  const response = await fetch(`${url}/.well-known/jwks.json`)
  return ((await response.json()) as JSONWebKeySet).keys.map(({ kid }) => kid)
}

async function signedWith(): Promise<string | undefined> {
  const { json } = await ask(world, what, { as: 'writer/write' })
  return decodeProtectedHeader(String(json.accessToken)).kid
}

function rotations(): number {
  return world.logLines.filter((line) => line.includes('"keys_rotated"')).length
}

/** The clock moves on, and the hub looks again. */
async function pass(seconds: number): Promise<void> {
  world.passSeconds(seconds)
  const before = rotations()
  vi.advanceTimersByTime(60_000)
  await vi.waitUntil(() => rotations() > before)
}

// conformance: Keys / Key rotation rejects no valid token
test('with keys.rotationDays 1 a key is published after 12 hours, signs after 20 and takes the place of the first', async () => {
  world = await startWorld(acme, { keys: { rotationDays: 1 } })
  const [first] = await published()
  await pass(12 * hour)
  const [, second] = await published()
  expect(await published()).toEqual([first, second])
  expect(await signedWith()).toBe(first)
  await pass(8 * hour)
  expect(await signedWith()).toBe(second)
  expect(await published()).toEqual([first, second])
  await pass(900 + 420)
  expect(await published()).toEqual([second])
})

// conformance: Keys / Key rotation rejects no valid token
test('with keys.rotationDays 0 no key is made by itself', async () => {
  world = await startWorld(acme, { keys: { rotationDays: 0 } })
  const first = await published()
  world.passSeconds(1000 * 24 * hour)
  const again = await startHub(world.settings, { clock: world.now, lines: quiet })
  expect(await published(again.url)).toEqual(first)
  await again.stop()
})

// conformance: Keys / A removed key signs no more tokens
test('a token that is asked for after a key was removed is signed with the new one', async () => {
  world = await startWorld(acme)
  const first = await signedWith()
  const { signing } = await world.done('keys rotate', { compromised: true })
  expect(await signedWith()).toBe(signing)
  expect(await published()).toEqual([signing])
  expect(signing).not.toBe(first)
})

test('the verbs work through the admin API, with the master key of the hub', async () => {
  world = await startWorld(acme)
  await world.apply({
    accounts: [{ name: 'root', administrator: true }],
    hubTokens: [{ account: 'root', name: 'keys', kind: 'admin', adminScopes: ['keys'] }],
  })
  const call = async (path: string, method = 'POST') => {
    const authorization = `Bearer ${world.tokens['root/keys']?.reveal()}`
    const response = await fetch(`${world.hub.url}/admin/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }
  const [first] = await published()
  expect(await call('/keys/rotate')).toMatchObject({ status: 200, json: { signing: first } })
  expect(await call('/keys/rotate')).toMatchObject({ status: 409 })
  expect(await call(`/keys/${first}/retire`)).toMatchObject({ status: 409 })
  world.passSeconds(600)
  expect(await call('/keys/rotate')).toMatchObject({ status: 200 })
  expect(await signedWith()).not.toBe(first)
  const { json } = await call('/keys', 'GET')
  expect(JSON.stringify(json)).not.toContain('sealed')
  expect(json['total']).toBe(3)
})
