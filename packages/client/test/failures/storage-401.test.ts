/** A 401 of the storage makes a new token and a second try, once, and never half a body. */

import { describe, expect, it } from 'vitest'
import { openWorld, refusal, type World } from '../world.ts'

const unauthorized = () => new Response('', { status: 401 })

/** A storage that does not take the first token of this world. */
function forgetfulWorld(): World {
  const world = openWorld()
  world.storage = ({ authorization }) =>
    authorization === 'Bearer access.token.1' ? unauthorized() : undefined
  return world
}

const bytes = (text: string) => new TextEncoder().encode(text)

async function* generated() {
  yield bytes('ab')
  yield bytes('c')
}

describe('a 401 of the storage to a body that can be sent once', () => {
  it.each([
    ['a ReadableStream', () => new Blob(['abc']).stream()],
    ['an async generator', generated],
  ])('is a clear error, never half an upload: %s', async (_, make) => {
    const world = forgetfulWorld()
    const client = world.client()
    const call = client.fetch('/v1/shards', { method: 'POST', body: make() })
    await expect(call).rejects.toMatchObject({
      ...{ code: 'body_not_repeatable', status: 401, method: 'POST', path: '/v1/shards' },
      message: expect.stringContaining('a function that makes the body'),
    })
    expect(world.stored).toHaveLength(1)
  })

  it('leaves the next request with a new token', async () => {
    const world = forgetfulWorld()
    const client = world.client()
    await client.fetch('/v1/shards', { method: 'POST', body: generated() }).catch(() => {})
    const again = await client.fetch('/v1/shards', { method: 'POST', body: generated() })
    expect(again.status).toBe(200)
    expect(world.asked).toHaveLength(2)
  })
})

describe('a 401 of the storage', () => {
  it.each([
    ['no body', undefined, ''],
    ['a string', 'abc', 'abc'],
    ['bytes', bytes('abc'), 'abc'],
    ['a Buffer', Buffer.from('abc'), 'abc'],
    ['an ArrayBuffer', bytes('abc').buffer, 'abc'],
    ['a Blob', new Blob(['abc']), 'abc'],
    ['a form', new URLSearchParams({ a: 'b' }), 'a=b'],
    ['a function that makes a stream', () => new Blob(['abc']).stream(), 'abc'],
    ['a function that makes a generator', generated, 'abc'],
    ['an async function', async () => 'abc', 'abc'],
  ])('gets a new token and repeats the request whole: %s', async (_, body, text) => {
    const world = forgetfulWorld()
    const answer = await world.client().fetch('/v1/shards', { method: 'POST', body })
    expect(answer.status).toBe(200)
    expect(world.stored.map(({ body }) => body)).toEqual([text, text])
    expect(world.stored.map(({ authorization }) => authorization)).toEqual([
      'Bearer access.token.1',
      'Bearer access.token.2',
    ])
  })

  it('is answered with one new token also when other failures come between', async () => {
    const world = openWorld()
    world.storage = () => (world.stored.length === 2 ? refusal(503) : unauthorized())
    const call = world.client().fetch('/v1/reconstructions/abc')
    await world.clock.pass(1)
    expect((await call).status).toBe(401)
    expect(world.stored).toHaveLength(3)
    expect(world.asked).toHaveLength(2)
  })

  it('does not drop a token that is newer than the one that was not taken', async () => {
    const world = openWorld()
    const client = world.client()
    const late = Promise.withResolvers<Response>()
    world.storage = ({ url }) => (url.endsWith('/late') ? late.promise : undefined)
    const first = client.fetch('/v1/reconstructions/late')
    await world.clock.pass(860)
    const { accessToken } = await client.token('read')
    world.storage = () => undefined
    late.resolve(unauthorized())
    expect((await first).status).toBe(200)
    expect(world.stored.at(-1)?.authorization).toBe(`Bearer ${accessToken.reveal()}`)
    expect(world.asked).toHaveLength(2)
  })
})
