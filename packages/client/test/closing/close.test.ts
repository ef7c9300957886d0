/** A client that was closed does nothing more, and leaves nothing behind. */

import { describe, expect, it } from 'vitest'
import { isDone, settle } from '../moved-clock.ts'
import { hubToken, openWorld, refusal } from '../world.ts'

const closed = { code: 'closed', message: 'The client is closed.' }

describe('a client that was closed', () => {
  it('fails every later call, and sends nothing', async () => {
    const world = openWorld()
    const client = world.client()
    await client.token('read')
    client.close()
    const before = world.seen.length
    await expect(client.token('read')).rejects.toMatchObject(closed)
    await expect(client.token('write')).rejects.toMatchObject(closed)
    await expect(client.fetch('/v1/a')).rejects.toMatchObject(closed)
    expect(world.seen).toHaveLength(before)
  })

  it('does not ask for the hub token any more', async () => {
    let asked = 0
    const hubTokenSource = () => {
      asked += 1
      return hubToken
    }
    const client = openWorld().client({ hubToken: hubTokenSource })
    client.close()
    await expect(client.token('read')).rejects.toMatchObject(closed)
    expect(asked).toBe(0)
  })

  // conformance: Client / Streams, progress and abort signals work
  it('leaves no timer, and never refreshes again', async () => {
    const world = openWorld()
    const client = world.client()
    await Promise.all([client.token('read'), client.token('write')])
    client.close()
    expect(world.clock.waiting()).toEqual([])
    await world.clock.pass(5000)
    expect(world.asked).toHaveLength(2)
  })

  it.each([
    ['that is called off', undefined, true],
    ['that fails', 503, true],
    ['that cannot be called off', undefined, false],
    ['that cannot be called off and fails', 503, false],
  ])('during a refresh in the background %s leaves no timer either', async (_, status, hears) => {
    const world = openWorld()
    const fetch: typeof world.fetch = (input, init) =>
      world.fetch(input, hears ? init : { ...init, signal: null })
    const client = world.client({ fetch })
    await client.token('read')
    const late = Promise.withResolvers<Response | undefined>()
    world.hub = () => late.promise
    await world.clock.pass(850)
    expect(world.asked).toHaveLength(2)
    client.close()
    late.resolve(status === undefined ? undefined : refusal(status))
    await settle()
    expect(world.clock.waiting()).toEqual([])
    await world.clock.pass(5000)
    expect(world.asked).toHaveLength(2)
  })

  it('holds no token that comes after it was closed', async () => {
    const world = openWorld()
    const answer = Promise.withResolvers<Response>()
    const client = world.client({ fetch: async () => answer.promise })
    const call = client.token('read')
    call.catch(() => {})
    await settle()
    client.close()
    answer.resolve(Response.json({ accessToken: 'abc', exp: 9e9, casUrl: 'https://cas.example' }))
    expect(await isDone(call)).toBe(true)
    expect(world.clock.waiting()).toEqual([])
  })

  it('may be closed twice', async () => {
    const client = openWorld().client()
    client.close()
    client.close()
    await expect(client.token('read')).rejects.toMatchObject(closed)
  })

  it('leaves answers alone that were already read', async () => {
    const world = openWorld()
    const client = world.client()
    const answer = await client.fetch('/v1/shards', { method: 'POST', body: 'abc' })
    expect(await answer.text()).toBe('abc')
    client.close()
    expect(world.stored[0]?.authorization).not.toContain(hubToken)
  })
})
