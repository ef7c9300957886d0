/** A "no" is a "no": it is told at once, with the hub's own words. */

import { describe, expect, it } from 'vitest'
import { isDone } from '../moved-clock.ts'
import { openWorld, refusal } from '../world.ts'

describe('a token request that is refused', () => {
  it.each([
    [401, 'hub_token_invalid'],
    [403, 'permission_denied'],
    [404, 'repository_not_found'],
    [404, 'revision_not_found'],
    [400, 'bad_request'],
    [405, 'method_not_allowed'],
  ])('is not tried again: %i %s', async (status, code) => {
    const world = openWorld()
    world.hub = () => refusal(status, { code, detail: 'The reason.' }, { 'x-request-id': 'r-1' })
    const call = world.client().token('read')
    call.catch(() => {})
    expect(await isDone(call)).toBe(true)
    await expect(call).rejects.toMatchObject({ code, status, requestId: 'r-1' })
    expect(world.asked).toHaveLength(1)
    expect(world.clock.waiting()).toEqual([])
  })

  it.each([
    [401, 'hub_token_invalid'],
    [403, 'permission_denied'],
    [404, 'not_found'],
    [418, 'bad_request'],
    [501, 'internal_error'],
  ])('has a code by its status where the hub gives none: %i', async (status, code) => {
    const world = openWorld()
    world.hub = () => new Response('<h1>no</h1>', { status })
    await expect(world.client().token('read')).rejects.toMatchObject({
      ...{ code, status, message: `The hub answers ${status}.` },
      ...{ method: 'GET', path: '/api/models/acme/bert/storage-read-token/main' },
    })
    expect(world.asked).toHaveLength(1)
  })

  it('is told by a storage request that needed the token, before anything is sent there', async () => {
    const world = openWorld()
    world.hub = () => refusal(403, { code: 'permission_denied', detail: 'Read only.' })
    const call = world.client().fetch('/v1/shards', { method: 'POST', body: 'abc' })
    await expect(call).rejects.toMatchObject({ code: 'permission_denied', message: 'Read only.' })
    expect(world.stored).toEqual([])
  })

  it('with an answer that is no token is not tried again either', async () => {
    const world = openWorld()
    world.hub = () => new Response('{}')
    await expect(world.client().token('read')).rejects.toMatchObject({ code: 'answer_invalid' })
    expect(world.asked).toHaveLength(1)
  })
})

describe('a storage request that is refused', () => {
  it.each([400, 403, 404, 405, 409, 413, 416, 501])(
    'is the caller’s at once: %i',
    async (status) => {
      const world = openWorld()
      world.storage = () => new Response('the reason', { status })
      const answer = await world.client().fetch('/v1/reconstructions/abc')
      expect(answer.status).toBe(status)
      expect(await answer.text()).toBe('the reason')
      expect(world.stored).toHaveLength(1)
      expect(world.asked).toHaveLength(1)
    },
  )
})
