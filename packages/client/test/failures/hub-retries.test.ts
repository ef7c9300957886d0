/** What may pass is tried again: ever more slowly, by chance, not for ever. */

import { describe, expect, it } from 'vitest'
import { isDone } from '../moved-clock.ts'
import { type Answer, openWorld, refusal, type World } from '../world.ts'

/** The seconds between the requests that a hub got which always answers so. */
async function waitsOf(hub: () => Answer, change: Parameters<World['client']>[0] = {}) {
  const world = openWorld()
  const moments: number[] = []
  world.hub = () => {
    moments.push(world.clock.trueMs())
    return hub()
  }
  const call = world.client(change).token('read')
  call.catch(() => {})
  await world.clock.pass(300)
  expect(await isDone(call)).toBe(true)
  return moments.slice(1).map((moment, index) => (moment - (moments[index] ?? 0)) / 1000)
}

const passing: [string, () => Answer][] = [
  ['429', () => refusal(429)],
  ['500', () => refusal(500)],
  ['502', () => refusal(502)],
  ['503', () => refusal(503)],
  ['504', () => refusal(504)],
  ['507', () => refusal(507)],
  ['a network error', () => new TypeError('fetch failed')],
  ['a 503 with a page that never ends', () => new Response('x'.repeat(2 ** 21), { status: 503 })],
]

describe('a token request that fails in a way that passes', () => {
  it.each(passing)('is tried again until it succeeds: %s', async (_, hub) => {
    const world = openWorld()
    world.hub = () => (world.asked.length < 4 ? hub() : undefined)
    const call = world.client().token('read')
    await world.clock.pass(3)
    await expect(call).resolves.toMatchObject({ scope: 'read' })
    expect(world.asked).toHaveLength(4)
  })

  it.each(passing)('is tried ever more slowly, and not for ever: %s', async (_, hub) => {
    const waits = await waitsOf(hub)
    expect(waits.slice(0, 6)).toEqual([0.15, 0.3, 0.6, 1.2, 2.4, 4.8])
    expect(Math.max(...waits)).toBe(7.5)
    const total = waits.reduce((sum, wait) => sum + wait, 0)
    expect(total).toBeGreaterThan(50)
    expect(total).toBeLessThanOrEqual(60)
  })

  it('waits between half and all of each step, as chance decides', async () => {
    const [least] = await waitsOf(() => refusal(503), { random: () => 0 })
    const [most] = await waitsOf(() => refusal(503), { random: () => 0.999 })
    expect(least).toBe(0.1)
    expect(most).toBeCloseTo(0.2, 2)
  })

  // conformance: Client / The client retries 429, 5xx and network errors within limits
  it.each([0, 1, 5, 20])('is given up after retryTimeoutSeconds: %i', async (seconds) => {
    const waits = await waitsOf(() => refusal(503), { retryTimeoutSeconds: seconds })
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(seconds)
    expect(waits.length > 0).toBe(seconds > 0)
  })

  it('is told as what it was when patience has run out', async () => {
    const world = openWorld()
    world.hub = () => refusal(503, { code: 'not_ready', detail: 'No keys yet.' })
    const call = world.client({ retryTimeoutSeconds: 1 }).token('read')
    call.catch(() => {})
    await world.clock.pass(2)
    await expect(call).rejects.toMatchObject({ code: 'not_ready', status: 503 })
  })

  it('is tried once for all who wait', async () => {
    const world = openWorld()
    world.hub = () => (world.asked.length < 3 ? refusal(503) : undefined)
    const client = world.client()
    const calls = Array.from({ length: 50 }, () => client.token('read'))
    await world.clock.pass(0.2)
    calls.push(...Array.from({ length: 50 }, () => client.token('read')))
    await world.clock.pass(2)
    expect(new Set(await Promise.all(calls)).size).toBe(1)
    expect(world.asked).toHaveLength(3)
  })
})

describe('a hub that does not answer', () => {
  it('is given up after 10 s and asked again', async () => {
    const world = openWorld()
    const never = new Promise<never>(() => {})
    world.hub = () => (world.asked.length === 1 ? never : undefined)
    const call = world.client().token('read')
    await world.clock.pass(9.99)
    expect(world.asked).toHaveLength(1)
    await world.clock.pass(0.2)
    await expect(call).resolves.toMatchObject({ scope: 'read' })
  })

  it('or stops in the middle of an answer is given up as well', async () => {
    const world = openWorld()
    world.hub = ({ signal }) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"accessToken":'))
          signal?.addEventListener('abort', () => controller.error(signal.reason))
        },
      })
      return world.asked.length === 1 ? new Response(body) : undefined
    }
    const call = world.client().token('read')
    await world.clock.pass(10.2)
    await expect(call).resolves.toMatchObject({ scope: 'read' })
  })

  it('costs a call no more than its patience and two requests that hang', async () => {
    const world = openWorld()
    world.hub = () => new Promise<never>(() => {})
    const call = world.client().token('read')
    call.catch(() => {})
    await world.clock.pass(80)
    expect(await isDone(call)).toBe(true)
    await expect(call).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: 'The hub https://hub.example cannot be reached (no answer in time).',
    })
  })
})
