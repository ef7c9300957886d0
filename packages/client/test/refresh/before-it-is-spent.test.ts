/** A token is spent before its exp, and replaced before that. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDone } from '../moved-clock.ts'
import { openWorld, refusal } from '../world.ts'

describe('a token that is spent', () => {
  it.each([
    ['30 s before its exp', {}, 870],
    ['as long before its exp as refreshBufferSeconds says', { refreshBufferSeconds: 120 }, 780],
    ['at least the second before its exp that a Date leaves out', { refreshBufferSeconds: 0 }, 899],
    ['after half of its life at the latest', { refreshBufferSeconds: 1e9 }, 450],
  ])('is used no longer: %s', async (_, change, spentSeconds) => {
    const world = openWorld()
    const client = world.client(change)
    const first = await client.token('read')
    world.hub = () => refusal(403)
    await world.clock.pass(spentSeconds - 0.001)
    expect(await client.token('read')).toBe(first)
    world.hub = () => undefined
    await world.clock.pass(0.001)
    expect(await client.token('read')).not.toBe(first)
  })

  // conformance: Client flow / 4. The client refreshes a token 30 s before exp with the same request
  it('counts from when it was asked for, however long the answer is on its way', async () => {
    const world = openWorld()
    const client = world.client()
    const wait = Promise.withResolvers<undefined>()
    world.slow = () => wait.promise
    const asking = client.token('read')
    await world.clock.pass(9)
    wait.resolve(undefined)
    const first = await asking
    world.hub = () => refusal(403)
    await world.clock.pass(870 - 9 - 0.001)
    expect(await client.token('read')).toBe(first)
    await world.clock.pass(0.001)
    await expect(client.token('read')).rejects.toMatchObject({ status: 403 })
  })
})

describe('a token that will soon be spent', () => {
  // conformance: Client flow / 4. The client refreshes a token 30 s before exp with the same request
  it.each([900, 120, 60, 10])('is replaced so early that no request waits: %i s', async (life) => {
    const world = openWorld()
    world.lifetimeSeconds = life
    const client = world.client()
    await client.token('read')
    world.slow = () => world.clock.after(life / 100)
    for (let step = 0; step < 400; step += 1) {
      await world.clock.pass(life / 100)
      expect(await isDone(client.fetch('/v1/reconstructions/abc'))).toBe(true)
    }
    expect(world.refused).toEqual([])
    expect(world.asked.length).toBeGreaterThan(3)
  })

  it('is replaced in time when the hub has been slow before', async () => {
    const world = openWorld()
    world.lifetimeSeconds = 60
    const client = world.client()
    world.slow = () => world.clock.after(5)
    const first = client.token('read')
    await world.clock.pass(5)
    await first
    await world.clock.pass(22.9)
    expect(world.asked).toHaveLength(2)
  })

  it('is replaced between 15 and 30 s before, at a moment that chance decides', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 0.999, noNaN: true }), async (chance) => {
        const world = openWorld()
        const client = world.client({ random: () => chance })
        await client.token('read')
        const expected = 870 - 15 - 15 * chance
        await world.clock.pass(expected - 0.01)
        expect(world.asked).toHaveLength(1)
        await world.clock.pass(0.02)
        expect(world.asked).toHaveLength(2)
      }),
      { numRuns: 20 },
    )
  })

  it('is used while its replacement is under way', async () => {
    const world = openWorld()
    const client = world.client()
    const first = await client.token('read')
    world.slow = () => world.clock.after(9)
    await world.clock.pass(850)
    expect(world.asked).toHaveLength(2)
    expect(await client.token('read')).toBe(first)
    await world.clock.pass(9)
    expect(await client.token('read')).not.toBe(first)
    expect(world.asked).toHaveLength(2)
  })
})

describe('a client that is idle', () => {
  // conformance: Client / An unused client stops refreshing
  it('lets its token go instead of asking for ever', async () => {
    const world = openWorld()
    const client = world.client()
    await client.token('read')
    await world.clock.pass(24 * 3600)
    expect(world.asked).toHaveLength(2)
    expect(world.clock.waiting()).toEqual([])
  })

  it('asks again when it is used again, and refreshes again', async () => {
    const world = openWorld()
    const client = world.client()
    await client.token('read')
    await world.clock.pass(24 * 3600)
    await client.fetch('/v1/reconstructions/abc')
    expect(world.refused).toEqual([])
    expect(world.asked).toHaveLength(3)
    await world.clock.pass(860)
    expect(world.asked).toHaveLength(4)
  })

  it('that is used between two refreshes stays one that is refreshed', async () => {
    const world = openWorld()
    const client = world.client()
    await client.token('read')
    for (let refresh = 0; refresh < 5; refresh += 1) {
      await world.clock.pass(800)
      expect(await isDone(client.token('read'))).toBe(true)
    }
    expect(world.asked).toHaveLength(5)
  })
})
