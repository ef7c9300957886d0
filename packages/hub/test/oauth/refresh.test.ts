/** Refresh tokens: they change at each use, repeat their answer for ten minutes, and end their device when stolen. */

import { startHub } from '@latchkey/hub'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  idOf,
  isLive,
  type OAuthTold,
  type Pair,
  pairIn,
  refresh,
  signInDevice,
} from './sign-in-device.ts'

let world: World
let first: Pair
beforeEach(async () => {
  world = await startWorld(acme, { deviceClients: { 'my-tool': 'My tool' } })
  first = await signInDevice(world)
})
afterEach(() => world.close())

const dead = [400, 'invalid_grant']
const errorIn = ({ status, json }: OAuthTold) => [status, json['error']]

describe('a refresh', () => {
  test('gives another pair, and leaves the hub token before it alive', async () => {
    const second = pairIn(await refresh(world, first.refresh_token))
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.access_token).not.toBe(first.access_token)
    expect(await isLive(world, first.access_token)).toBe(true)
    expect(await isLive(world, second.access_token)).toBe(true)
  })

  test('repeated within ten minutes gives the same pair', async () => {
    const second = pairIn(await refresh(world, first.refresh_token))
    world.passSeconds(599)
    const again = pairIn(await refresh(world, first.refresh_token))
    expect(again).toEqual({ ...second, expires_in: second.expires_in - 599 })
  })

  // conformance: Attacks / 75. An attacker uses a stolen refresh token
  test('raced by twenty processes gives them all one pair', async () => {
    const raced = await Promise.all(
      Array.from({ length: 20 }, () => refresh(world, first.refresh_token)),
    )
    expect(new Set(raced.map((told) => pairIn(told).refresh_token)).size).toBe(1)
    expect(new Set(raced.map((told) => pairIn(told).access_token)).size).toBe(1)
  })

  test('raced at two hubs on one database gives one pair', async () => {
    const hub = await startHub(world.settings, {
      clock: () => world.now(),
      lines: { write() {}, async close() {} },
    })
    onTestFinished(() => hub.stop())
    const raced = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        refresh(index % 2 === 0 ? world : { hub }, first.refresh_token),
      ),
    )
    expect(new Set(raced.map((told) => pairIn(told).refresh_token)).size).toBe(1)
  })

  test('leaves at most three hub tokens alive, the newest', async () => {
    const pairs = [first]
    for (let index = 0; index < 4; index += 1) {
      world.passSeconds(60)
      pairs.push(pairIn(await refresh(world, pairs.at(-1)?.refresh_token ?? '')))
    }
    const alive = await Promise.all(pairs.map(({ access_token }) => isLive(world, access_token)))
    expect(alive).toEqual([false, false, true, true, true])
  })

  test('goes on for sixty days after the sign-in, and no longer', async () => {
    let pair = first
    for (let day = 6; day < 60; day += 6) {
      world.passSeconds(6 * 86_400)
      pair = pairIn(await refresh(world, pair.refresh_token))
    }
    expect(pair.expires_in).toBeLessThanOrEqual(6 * 86_400)
    world.passSeconds(6 * 86_400 - 120)
    pair = pairIn(await refresh(world, pair.refresh_token))
    expect(pair.expires_in).toBeLessThanOrEqual(60)
    world.passSeconds(60)
    expect(await isLive(world, pair.access_token)).toBe(false)
    expect(errorIn(await refresh(world, pair.refresh_token))).toEqual(dead)
  })

  test('with the hub token long expired still counts', async () => {
    world.passSeconds(30 * 86_400)
    expect((await refresh(world, first.refresh_token)).status).toBe(200)
  })
})

// conformance: Attacks / 75. An attacker uses a stolen refresh token
describe('a stolen refresh token', () => {
  test('that the thief used first ends the device when its owner comes', async () => {
    const thief = pairIn(await refresh(world, first.refresh_token))
    world.passSeconds(601)
    expect(errorIn(await refresh(world, first.refresh_token))).toEqual(dead)
    expect(await isLive(world, thief.access_token)).toBe(false)
    expect(await isLive(world, first.access_token)).toBe(false)
    expect(errorIn(await refresh(world, thief.refresh_token))).toEqual(dead)
    const lines = world.logLines.filter((line) => line.includes('"refresh_token_reused"'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', account: 'writer' },
    ])
  })

  test('that the thief uses second ends the device', async () => {
    const owner = pairIn(await refresh(world, first.refresh_token))
    world.passSeconds(6 * 86_400)
    const next = pairIn(await refresh(world, owner.refresh_token))
    expect(errorIn(await refresh(world, first.refresh_token))).toEqual(dead)
    expect(await isLive(world, next.access_token)).toBe(false)
    expect(errorIn(await refresh(world, next.refresh_token))).toEqual(dead)
  })

  test('used second after all hub tokens have expired ends the device too', async () => {
    const owner = pairIn(await refresh(world, first.refresh_token))
    world.passSeconds(30 * 86_400)
    expect(errorIn(await refresh(world, first.refresh_token))).toEqual(dead)
    expect(errorIn(await refresh(world, owner.refresh_token))).toEqual(dead)
  })

  test('is of no use to another client', async () => {
    const other = await refresh(world, first.refresh_token, { client_id: 'my-tool' })
    expect(errorIn(other)).toEqual(dead)
    expect((await refresh(world, first.refresh_token)).status).toBe(200)
  })

  test('does not end the device of another sign-in', async () => {
    const other = await signInDevice(world)
    await refresh(world, first.refresh_token)
    world.passSeconds(601)
    await refresh(world, first.refresh_token)
    expect((await refresh(world, other.refresh_token)).status).toBe(200)
  })
})

// conformance: Attacks / 75. An attacker uses a stolen refresh token
describe('a device is over', () => {
  test('once its hub token is revoked, also for an answer that would be repeated', async () => {
    const second = pairIn(await refresh(world, first.refresh_token))
    await world.done('hub-token revoke', { hubToken: await idOf(world, second.access_token) })
    expect(errorIn(await refresh(world, first.refresh_token))).toEqual(dead)
    expect(errorIn(await refresh(world, second.refresh_token))).toEqual(dead)
  })

  test('while its account is disabled', async () => {
    await world.done('account set', { account: 'writer', disabled: true })
    expect(errorIn(await refresh(world, first.refresh_token))).toEqual(dead)
    expect(await isLive(world, first.access_token)).toBe(false)
  })

  test('with its account', async () => {
    await world.done('account delete', { account: 'writer' })
    expect(errorIn(await refresh(world, first.refresh_token))).toEqual(dead)
  })
})

test('what the database holds of a pair gives nobody the pair', async () => {
  const second = pairIn(await refresh(world, first.refresh_token))
  const rows = await world.store.readBeside(async (tables) => [
    await tables.selectFrom('device_codes').selectAll().execute(),
    await tables.selectFrom('refresh_tokens').selectAll().execute(),
    await tables.selectFrom('journal').selectAll().execute(),
  ])
  const text = JSON.stringify(rows)
  for (const secret of [first, second].flatMap((pair) => [pair.access_token, pair.refresh_token])) {
    expect(text).not.toContain(secret.slice(0, 30))
    expect(world.logLines.join('')).not.toContain(secret.slice(4, 30))
  }
})
