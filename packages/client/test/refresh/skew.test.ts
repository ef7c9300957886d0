/** What this machine takes for the time does not matter: the hub's time does, and how much of it has passed. */

import { describe, expect, it } from 'vitest'
import { movedClock } from '../moved-clock.ts'
import { openWorld, refusal, type World } from '../world.ts'

interface Run {
  readonly world: World
  readonly statuses: ReadonlySet<number>
}

/** An hour of requests, with something happening before each. */
async function useForAnHour(
  skewSeconds: number,
  lifetimeSeconds: number,
  happens = (_world: World, _second: number) => {},
): Promise<Run> {
  const world = openWorld({ clock: movedClock({ skewSeconds }) })
  world.lifetimeSeconds = lifetimeSeconds
  const client = world.client()
  const statuses = new Set<number>()
  for (let second = 0; second < 3600; second += 15) {
    happens(world, second)
    statuses.add((await client.fetch('/v1/reconstructions/abc')).status)
    await world.clock.pass(15)
  }
  return { world, statuses }
}

const noneLost = new Set([200])

describe('a clock that is wrong', () => {
  // conformance: Client / A wrong clock loses no request
  it('±10 minutes of skew lose no request', async () => {
    for (const lifetime of [900, 120, 40]) {
      const { world: right } = await useForAnHour(0, lifetime)
      for (const skew of [-600, 600]) {
        const { world, statuses } = await useForAnHour(skew, lifetime)
        expect(statuses).toEqual(noneLost)
        expect(world.refused).toEqual([])
        expect(world.asked).toHaveLength(right.asked.length)
      }
    }
  })
})

describe('a clock that is set during the life of a token', () => {
  it.each([
    ['forwards', 600],
    ['backwards', -600],
  ])('%s by ten minutes loses no request', async (_, skew) => {
    const { world, statuses } = await useForAnHour(0, 900, ({ clock }, second) => {
      if (second === 300) clock.set(skew)
    })
    expect(statuses).toEqual(noneLost)
    expect(world.refused).toEqual([])
    expect(world.asked.length).toBeLessThanOrEqual(6)
  })

  it('backwards does not make a token live longer whose refresh has failed', async () => {
    const world = openWorld()
    const client = world.client()
    await client.token('read')
    await world.clock.pass(300)
    world.clock.set(-600)
    world.hub = () => refusal(403)
    await world.clock.pass(569.9)
    await expect(client.token('read')).resolves.toMatchObject({ scope: 'read' })
    await world.clock.pass(0.1)
    await expect(client.token('read')).rejects.toMatchObject({ status: 403 })
  })

  // conformance: Client / A wrong clock loses no request
  it('again and again loses no request, and costs a request at most each time', async () => {
    const { world, statuses } = await useForAnHour(0, 900, ({ clock }, second) => {
      if (second % 300 === 0) clock.set(second % 600 === 0 ? 600 : -600)
    })
    expect(statuses).toEqual(noneLost)
    expect(world.refused).toEqual([])
    expect(world.asked.length).toBeLessThanOrEqual(5 + 12)
  })
})

describe('a machine that sleeps', () => {
  // conformance: Client / A wrong clock loses no request
  it.each([60, 600, 3600, 86_400])('for %i s loses no request', async (asleep) => {
    for (const skew of [-600, 600]) {
      const { world, statuses } = await useForAnHour(skew, 900, ({ clock }, second) => {
        if (second % 900 === 450) clock.sleep(asleep)
      })
      expect(statuses).toEqual(noneLost)
      expect(world.refused).toEqual([])
    }
  })

  it('while its clock is set back notices by the answer of the storage, and loses no request', async () => {
    const { world, statuses } = await useForAnHour(0, 900, ({ clock }, second) => {
      if (second !== 450) return
      clock.sleep(1200)
      clock.set(-1200)
    })
    expect(statuses).toEqual(noneLost)
    expect(world.refused).toHaveLength(1)
  })
})
