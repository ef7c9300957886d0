/** A signal ends a call wherever it is, with its own reason, and disturbs nobody else. */

import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isDone, settle } from '../moved-clock.ts'
import { openWorld, refusal } from '../world.ts'

const reason = new Error('changed my mind')
const never = () => new Promise<never>(() => {})

describe('a signal that is aborted', () => {
  it('before the call lets nothing be sent', async () => {
    const world = openWorld()
    const client = world.client()
    const signal = AbortSignal.abort(reason)
    await expect(client.token('read', { signal })).rejects.toBe(reason)
    await expect(client.fetch('/v1/a', { signal })).rejects.toBe(reason)
    expect(world.seen).toEqual([])
  })

  it('during the token request ends the call, and not those of others', async () => {
    const world = openWorld()
    world.hub = () => world.clock.after(3)
    const client = world.client()
    const controller = new AbortController()
    const { signal } = controller
    const leaving = [client.token('read', { signal }), client.fetch('/v1/a', { signal })]
    const staying = [client.token('read'), client.fetch('/v1/b')]
    await world.clock.pass(1)
    controller.abort(reason)
    for (const call of leaving) await expect(call).rejects.toBe(reason)
    await world.clock.pass(2)
    await Promise.all(staying)
    expect(world.asked).toHaveLength(1)
    expect(world.stored.map(({ url }) => url.at(-1))).toEqual(['b'])
  })

  it('during the token request of all callers leaves a token for the next', async () => {
    const world = openWorld()
    world.hub = () => world.clock.after(3)
    const client = world.client()
    const controller = new AbortController()
    const call = client.token('read', controller)
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    await world.clock.pass(3)
    expect(await isDone(client.token('read'))).toBe(true)
    expect(world.asked).toHaveLength(1)
  })

  it('during the wait for another token request ends the call, and not those of others', async () => {
    const world = openWorld()
    world.hub = () => (world.asked.length < 4 ? refusal(503) : undefined)
    const client = world.client()
    const controller = new AbortController()
    const leaving = client.token('read', controller)
    const staying = client.token('read')
    await world.clock.pass(0.2)
    controller.abort(reason)
    await expect(leaving).rejects.toBe(reason)
    await world.clock.pass(2)
    await expect(staying).resolves.toMatchObject({ scope: 'read' })
  })

  it('during the wait for another storage request ends the call, and sends nothing more', async () => {
    const world = openWorld()
    world.storage = () => refusal(503)
    const controller = new AbortController()
    const call = world.client().fetch('/v1/a', { signal: controller.signal })
    call.catch(() => {})
    await world.clock.pass(0.2)
    const before = world.stored.length
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    await world.clock.pass(60)
    expect(world.stored).toHaveLength(before)
    expect(world.clock.waiting().every(({ background }) => background)).toBe(true)
  })

  it('while a function makes the body ends the call', async () => {
    const world = openWorld()
    const controller = new AbortController()
    const { signal } = controller
    const call = world.client().fetch('/v1/shards', { method: 'POST', body: never, signal })
    call.catch(() => {})
    await world.clock.pass(1)
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(world.stored).toEqual([])
  })

  it('while the storage does not answer ends the call', async () => {
    const world = openWorld()
    world.storage = never
    const controller = new AbortController()
    const call = world.client().fetch('/v1/a', { signal: controller.signal })
    call.catch(() => {})
    await world.clock.pass(1)
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(world.stored).toHaveLength(1)
  })

  it('which the fetch does not hear ends the call before another try', async () => {
    const world = openWorld()
    const late = Promise.withResolvers<Response>()
    world.storage = () => late.promise
    const controller = new AbortController()
    const fetch: typeof world.fetch = (input, init) => world.fetch(input, { ...init, signal: null })
    const call = world.client({ fetch }).fetch('/v1/a', { signal: controller.signal })
    call.catch(() => {})
    await settle()
    controller.abort(reason)
    late.resolve(refusal(503))
    expect(await isDone(call)).toBe(true)
    await expect(call).rejects.toBe(reason)
    expect(world.stored).toHaveLength(1)
  })

  it('leaves nothing behind on a signal that many calls have had', async () => {
    const world = openWorld()
    const client = world.client()
    const { signal } = new AbortController()
    for (let call = 0; call < 50; call += 1) await client.token('read', { signal })
    await settle()
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
