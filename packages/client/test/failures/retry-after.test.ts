/** Retry-After is honoured: seconds or a date, at the hub and at the storage. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRetryAfter } from '../../src/patience/worth-a-retry.ts'
import { openWorld, refusal, type World } from '../world.ts'

const dateIn = (world: World, seconds: number) =>
  new Date(world.clock.trueMs() + seconds * 1000).toUTCString()

/** What the first answer says, and the seconds that then go by before the second request. */
const said: [string, (world: World) => Record<string, string>, number][] = [
  ['a date without another', (world) => ({ 'retry-after': dateIn(world, 20) }), 20],
]

describe('Retry-After', () => {
  it.each(said)('of the hub is honoured, as %s', async (_, headers, seconds) => {
    const world = openWorld()
    world.hub = () => (world.asked.length === 1 ? refusal(429, {}, headers(world)) : undefined)
    const call = world.client().token('read')
    await world.clock.pass(seconds - 0.001)
    expect(world.asked).toHaveLength(1)
    await world.clock.pass(0.21)
    expect(world.asked).toHaveLength(2)
    await call
  })

  it.each(said)('of the storage is honoured, as %s', async (_, headers, seconds) => {
    const world = openWorld()
    world.storage = () => (world.stored.length === 1 ? refusal(503, {}, headers(world)) : undefined)
    const call = world.client().fetch('/v1/reconstructions/abc')
    await world.clock.pass(seconds - 0.001)
    expect(world.stored).toHaveLength(1)
    await world.clock.pass(0.21)
    expect(world.stored).toHaveLength(2)
    await call
  })

  it.each(['99999999999', '9'.repeat(400)])(
    'beyond the patience of a call ends it at once, and is told: %s',
    async (after) => {
      const world = openWorld()
      world.hub = () => refusal(429, {}, { 'retry-after': after })
      const error = await world
        .client()
        .token('read')
        .catch((error) => error)
      expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: Number(after) })
      expect(world.asked).toHaveLength(1)
    },
  )

  it.each(['', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'that asks for nothing leaves the pace to the client: %j',
    async (after) => {
      const world = openWorld()
      const headers = { 'retry-after': after }
      world.hub = () => (world.asked.length === 1 ? refusal(503, {}, headers) : undefined)
      const call = world.client().token('read')
      await world.clock.pass(0.149)
      expect(world.asked).toHaveLength(1)
      await world.clock.pass(0.001)
      await call
    },
  )

  it('is spread, so that not all come back at one moment', async () => {
    const moments = await Promise.all(
      [0, 0.999].map(async (chance) => {
        const world = openWorld()
        const start = world.clock.trueMs()
        let again = 0
        world.hub = () => {
          again = world.clock.trueMs() - start
          return world.asked.length === 1 ? refusal(429, {}, { 'retry-after': '5' }) : undefined
        }
        const call = world.client({ random: () => chance }).token('read')
        await world.clock.pass(6)
        await call
        return again
      }),
    )
    expect(moments[0]).toBe(5100)
    expect(moments[1]).toBeGreaterThan(5150)
  })
})

describe('reading Retry-After', () => {
  const now = Date.UTC(2027, 0, 15)
  const read = (value: string, date?: string) => {
    const headers = new Headers({ 'retry-after': value })
    if (date !== undefined) headers.set('date', date)
    return readRetryAfter(headers, now)
  }
  const headerText = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  })

  it('never throws, and gives nothing or a number of seconds that is not negative', () => {
    fc.assert(
      fc.property(headerText, headerText, (value, date) => {
        const seconds = read(value, date)
        if (seconds !== undefined) expect(seconds).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 1000 },
    )
  })

  it('gives whole seconds as they were written', () => {
    fc.assert(
      fc.property(fc.nat(), (seconds) => {
        expect(read(String(seconds))).toBe(seconds)
      }),
    )
  })

  it('gives the time between the two dates, and none for one that is past', () => {
    const moment = fc.integer({ min: 1, max: 4_000_000_000 })
    fc.assert(
      fc.property(moment, moment, (until, from) => {
        const text = (seconds: number) => new Date(seconds * 1000).toUTCString()
        expect(read(text(until), text(from))).toBe(Math.max(0, until - from))
        expect(read(text(until))).toBe(Math.max(0, until - now / 1000))
      }),
    )
  })
})
