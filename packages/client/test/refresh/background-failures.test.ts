/** A refresh in the background that fails is nobody's failure while the token is good. */

import { describe, expect, it } from 'vitest'
import { isDone } from '../moved-clock.ts'
import { openWorld, refusal, type World } from '../world.ts'

const refreshSeconds = 847.5
const spentSeconds = 870

/** A client whose first token has just been due for its refresh. */
async function atTheRefresh(hub: World['hub'], change: Parameters<World['client']>[0] = {}) {
  const world = openWorld()
  const client = world.client(change)
  const first = await client.token('read')
  await world.clock.pass(refreshSeconds - 0.001)
  world.hub = hub
  await world.clock.pass(0.001)
  expect(world.asked).toHaveLength(2)
  return { world, client, first }
}

describe('a refresh in the background that fails', () => {
  it.each([
    ['a 503', () => refusal(503)],
    ['a 429', () => refusal(429)],
    ['the network', () => new TypeError('fetch failed')],
  ])('by %s is tried again while the token is good, and nobody waits', async (_, hub) => {
    const { world, client, first } = await atTheRefresh(hub)
    for (let second = 0; second < 5; second += 1) {
      await world.clock.pass(1)
      expect(await client.token('read')).toBe(first)
    }
    expect(world.asked.length).toBeGreaterThan(3)
    world.hub = () => undefined
    await world.clock.pass(10)
    const second = client.token('read')
    expect(await isDone(second)).toBe(true)
    expect(await second).not.toBe(first)
  })

  it('waits longer before every further try', async () => {
    const { world } = await atTheRefresh(() => refusal(503))
    const waits: number[] = []
    for (let tries = 0; tries < 5; tries += 1) {
      const [{ inMs } = { inMs: 0 }] = world.clock.waiting()
      waits.push(Math.round(inMs))
      await world.clock.pass(inMs / 1000)
    }
    expect(waits).toEqual([150, 300, 600, 1200, 2400])
  })

  it('waits as long as the hub asks', async () => {
    const { world } = await atTheRefresh(() => refusal(429, {}, { 'retry-after': '12' }))
    await world.clock.pass(11.99)
    expect(world.asked).toHaveLength(2)
    await world.clock.pass(0.2)
    expect(world.asked).toHaveLength(3)
  })

  it('by a refusal is told only when the token is spent', async () => {
    const { world, client, first } = await atTheRefresh(() => refusal(403))
    await world.clock.pass(spentSeconds - refreshSeconds - 0.01)
    expect(await client.token('read')).toBe(first)
    expect(world.asked).toHaveLength(2)
    await world.clock.pass(0.01)
    await expect(client.token('read')).rejects.toMatchObject({ code: 'permission_denied' })
  })

  it('by a hub token that cannot be had is told only when the token is spent', async () => {
    let isThere = true
    const gone = new Error('the key ring is locked')
    const hubToken = async () => {
      if (!isThere) throw gone
      return 'lk_fromTheKeyRing'
    }
    const hub = () => {
      isThere = false
      return refusal(401)
    }
    const { world, client } = await atTheRefresh(hub, { hubToken })
    expect(await isDone(client.token('read'))).toBe(true)
    await world.clock.pass(spentSeconds - refreshSeconds)
    await expect(client.token('read')).rejects.toBe(gone)
  })

  it('is not tried for ever by a client that is idle', async () => {
    const { world } = await atTheRefresh(() => refusal(503))
    await world.clock.pass(24 * 3600)
    expect(world.asked.length).toBeLessThan(12)
    expect(world.clock.waiting()).toEqual([])
  })
})

describe('a refresh in the background that takes long', () => {
  it('is waited for when the token is spent meanwhile, not doubled', async () => {
    const answer = Promise.withResolvers<undefined>()
    const { world, client, first } = await atTheRefresh(() => answer.promise)
    world.clock.sleep(spentSeconds - refreshSeconds)
    const calls = [client.token('read'), client.token('read')]
    expect(await isDone(Promise.race(calls))).toBe(false)
    answer.resolve(undefined)
    const [one, other] = await Promise.all(calls)
    expect(one).toBe(other)
    expect(one).not.toBe(first)
    expect(world.asked).toHaveLength(2)
  })
})
