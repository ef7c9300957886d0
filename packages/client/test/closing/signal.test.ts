/** The signal that a client is made with closes it, and is let go when the client is closed otherwise. */

import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { openWorld } from '../world.ts'

describe('the signal of a client', () => {
  it('that is aborted already makes a client that does nothing', async () => {
    const world = openWorld()
    const reason = new Error('too late')
    const client = world.client({ signal: AbortSignal.abort(reason) })
    await expect(client.token('read')).rejects.toBe(reason)
    await expect(client.fetch('/v1/a')).rejects.toBe(reason)
    expect(world.seen).toEqual([])
  })

  it('ends what is under way with its own reason, and leaves no timer', async () => {
    const world = openWorld()
    world.hub = () => new Promise<never>(() => {})
    const controller = new AbortController()
    const client = world.client({ signal: controller.signal })
    const calls = [client.token('read'), client.fetch('/v1/a')]
    for (const call of calls) call.catch(() => {})
    await world.clock.pass(1)
    const reason = new Error('enough')
    controller.abort(reason)
    for (const call of calls) await expect(call).rejects.toBe(reason)
    await expect(client.token('write')).rejects.toBe(reason)
    await world.clock.pass(0)
    expect(world.clock.waiting()).toEqual([])
  })

  it('ends the refreshing of a token that is held', async () => {
    const world = openWorld()
    const controller = new AbortController()
    const client = world.client({ signal: controller.signal })
    await client.token('read')
    controller.abort()
    await world.clock.pass(5000)
    expect(world.asked).toHaveLength(1)
    await expect(client.token('read')).rejects.toHaveProperty('name', 'AbortError')
  })

  it('is not held by clients that have been closed', () => {
    const { signal } = new AbortController()
    const world = openWorld()
    for (let made = 0; made < 100; made += 1) world.client({ signal }).close()
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
