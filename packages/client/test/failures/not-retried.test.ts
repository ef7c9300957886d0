/** A "no" is a "no": it is told at once, with the hub's own words. */

import { describe, expect, it } from 'vitest'
import { isDone } from '../moved-clock.ts'
import { openWorld, refusal } from '../world.ts'

describe('a token request that is refused', () => {
  it.each([[405, 'method_not_allowed']])('is not tried again: %i %s', async (status, code) => {
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
})
