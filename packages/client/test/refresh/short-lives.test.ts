/** Tokens that live shorter than the buffer are used all the same, without a storm. */

import { describe, expect, it } from 'vitest'
import { isDone } from '../moved-clock.ts'
import { openWorld } from '../world.ts'

describe('a token that lives shorter than the buffer', () => {
  it.each([1, 2, 5, 20, 29, 30, 31, 59])('is still used: %i s', async (life) => {
    const world = openWorld()
    world.lifetimeSeconds = life
    const client = world.client()
    expect((await client.fetch('/v1/reconstructions/abc')).status).toBe(200)
    expect(world.asked).toHaveLength(1)
    expect(world.refused).toEqual([])
  })

  // conformance: Client / A token that is shorter than the refresh buffer causes no request storm
  it.each([1, 2, 5, 20, 30, 59])('makes no storm, however often it is used: %i s', async (life) => {
    const world = openWorld()
    world.lifetimeSeconds = life
    const client = world.client()
    for (let step = 0; step < 500; step += 1) {
      await client.token('read')
      await world.clock.pass(life / 50)
    }
    const lives = 10
    expect(world.asked.length).toBeGreaterThan(lives)
    expect(world.asked.length).toBeLessThanOrEqual(lives * 2.3)
  })

  it('of one second loses no request, wherever in a second it was issued', async () => {
    const world = openWorld()
    world.lifetimeSeconds = 1
    const client = world.client()
    for (let step = 0; step < 200; step += 1) {
      expect((await client.fetch('/v1/reconstructions/abc')).status).toBe(200)
      await world.clock.pass(0.137)
    }
    expect(world.asked.length).toBeLessThanOrEqual(100)
  })

  it('serves any number of callers at its one moment', async () => {
    const world = openWorld()
    world.lifetimeSeconds = 1
    const client = world.client()
    for (let call = 0; call < 1000; call += 1) await client.token('read')
    expect(world.asked).toHaveLength(1)
  })

  it('is not asked for again and again by a client that is idle', async () => {
    const world = openWorld()
    world.lifetimeSeconds = 1
    await world.client().token('read')
    await world.clock.pass(3600)
    expect(world.asked).toHaveLength(2)
    expect(world.clock.waiting()).toEqual([])
  })

  it('that is spent before it arrives serves those who waited for it', async () => {
    const world = openWorld()
    world.lifetimeSeconds = 2
    world.slow = () => world.clock.after(5)
    const client = world.client()
    const calls = Array.from({ length: 20 }, () => client.token('read'))
    await world.clock.pass(5)
    expect(await isDone(Promise.all(calls))).toBe(true)
    expect(world.asked).toHaveLength(1)
    await world.clock.pass(60)
    expect(world.asked).toHaveLength(1)
  })
})
