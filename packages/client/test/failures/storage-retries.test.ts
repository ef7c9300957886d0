/** A storage request that fails in a way that passes is sent again, if all of it can be. */

import { describe, expect, it } from 'vitest'
import { isDone } from '../moved-clock.ts'
import { type Answer, openWorld, type World } from '../world.ts'

const answering = (status: number, headers = {}) => new Response('later', { status, headers })

const passing: [string, () => Answer][] = [
  ['429', () => answering(429)],
  ['500', () => answering(500)],
  ['503', () => answering(503)],
  ['a network error', () => new TypeError('fetch failed')],
]

const bodies = (world: World) => world.stored.map(({ body }) => body)

const oneStream = () => new Blob(['abc']).stream()

describe('a storage request that fails in a way that passes', () => {
  it.each(passing)('is not sent again when its body is a stream: %s', async (_, answer) => {
    const world = openWorld()
    world.storage = answer
    const call = world.client().fetch('/v1/shards', { method: 'POST', body: oneStream() })
    call.catch(() => {})
    expect(await isDone(call)).toBe(true)
    expect(world.stored).toHaveLength(1)
  })

  it.each(passing)(
    'is sent again with a stream that a function makes anew: %s',
    async (_, answer) => {
      const world = openWorld()
      world.storage = () => (world.stored.length < 3 ? answer() : undefined)
      const call = world.client().fetch('/v1/shards', { method: 'POST', body: oneStream })
      await world.clock.pass(2)
      expect((await call).status).toBe(200)
      expect(bodies(world)).toEqual(['abc', 'abc', 'abc'])
    },
  )

  it.each([
    ['a stream', oneStream()],
    [
      'a generator',
      (async function* () {
        yield new TextEncoder().encode('abc')
      })(),
    ],
  ])('is not sent with half a body when a function gives the same again: %s', async (_, same) => {
    const world = openWorld()
    world.storage = () => answering(503)
    const call = world.client().fetch('/v1/shards', { method: 'POST', body: () => same })
    call.catch(() => {})
    await world.clock.pass(60)
    await expect(call).rejects.toMatchObject({ code: 'body_not_repeatable', path: '/v1/shards' })
    expect(bodies(world)).toEqual(['abc'])
  })

  it('gives the last answer when patience has run out', async () => {
    const world = openWorld()
    world.storage = () => new Response(`try ${world.stored.length}`, { status: 503 })
    const call = world.client({ retryTimeoutSeconds: 1 }).fetch('/v1/reconstructions/abc')
    await world.clock.pass(2)
    const answer = await call
    expect(answer.status).toBe(503)
    expect(await answer.text()).toBe(`try ${world.stored.length}`)
  })

  it('throws when there never was an answer', async () => {
    const world = openWorld()
    world.storage = () =>
      Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    const call = world.client({ retryTimeoutSeconds: 1 }).fetch('/v1/reconstructions/abc?a=secret')
    call.catch(() => {})
    await world.clock.pass(2)
    await expect(call).rejects.toMatchObject({
      ...{ code: 'storage_unreachable', method: 'GET', path: '/v1/reconstructions/abc' },
      message: 'The storage https://cas.example cannot be reached (ECONNREFUSED).',
    })
  })

  // conformance: Client / The client retries 429, 5xx and network errors within limits
  it('is tried for a minute at most, ever more slowly', async () => {
    const world = openWorld()
    world.storage = () => answering(503)
    const call = world.client().fetch('/v1/reconstructions/abc')
    await world.clock.pass(60)
    expect(await isDone(call)).toBe(true)
    expect(world.stored.length).toBeGreaterThan(8)
    expect(world.stored.length).toBeLessThan(15)
  })

  it('lets go of every answer that the caller does not see', async () => {
    const world = openWorld()
    let cancelled = 0
    world.storage = () => {
      const body = new ReadableStream({
        cancel() {
          cancelled += 1
        },
      })
      return world.stored.length < 4 ? new Response(body, { status: 503 }) : undefined
    }
    const call = world.client().fetch('/v1/reconstructions/abc')
    await world.clock.pass(5)
    expect((await call).status).toBe(200)
    expect(cancelled).toBe(3)
  })
})
