/** The source of an upload is let go whenever its request is over, and never ends early as if it were whole. */

import { createReadStream } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { countBytes } from '../../src/storage/count-bytes.ts'
import { openRealWorld } from '../safety/loopback.ts'
import { openWorld } from '../world.ts'

/** A generator without an end, and whether it was let go. */
function endless() {
  const state = { isOver: false }
  const { promise: over, resolve } = Promise.withResolvers<void>()
  async function* pieces() {
    try {
      for (;;) {
        await new Promise((done) => setImmediate(done))
        yield new Uint8Array(10_000)
      }
    } finally {
      state.isOver = true
      resolve()
    }
  }
  return { pieces, over, state }
}

describe('the source of an upload', () => {
  it('is let go when the storage breaks the connection', async () => {
    const world = await openRealWorld()
    world.storage = (request) => void request.once('data', () => request.socket.destroy())
    const { pieces, over } = endless()
    const call = world.client().fetch('/v1/shards', { method: 'POST', body: pieces })
    await expect(call).rejects.toMatchObject({ code: 'storage_unreachable' })
    await over
  })

  it('is let go when the storage does not take the token', async () => {
    const world = await openRealWorld()
    world.storage = (request, response) => {
      request.once('data', () => response.writeHead(401).end())
    }
    const { pieces, over } = endless()
    const call = world.client().fetch('/v1/shards', { method: 'POST', body: pieces() })
    await expect(call).rejects.toMatchObject({ code: 'body_not_repeatable' })
    await over
  })

  it('is let go when the next try makes another', async () => {
    const world = await openRealWorld()
    world.storage = (request, response) => {
      const isFirst = world.heard.storage.length === 1
      if (isFirst) request.once('data', () => response.writeHead(401).end())
      else request.pipe(response)
    }
    const { pieces, over } = endless()
    let made = 0
    const body = () => {
      made += 1
      return made === 1 ? pieces() : 'all of it'
    }
    const answer = await world.client().fetch('/v1/shards', { method: 'POST', body })
    await over
    expect(await answer.text()).toBe('all of it')
  })

  it('is let go by a request that never comes to the storage', async () => {
    const world = openWorld()
    world.hub = () => new Response('', { status: 403 })
    let isOver = false
    const body = new ReadableStream({
      cancel() {
        isOver = true
      },
    })
    const call = world.client().fetch('/v1/shards', { method: 'POST', body })
    await expect(call).rejects.toMatchObject({ code: 'permission_denied' })
    expect(isOver).toBe(true)
  })

  it('of Node that breaks while the hub is asked ends the call, not the process', async () => {
    const world = openWorld()
    world.hub = () => world.clock.after(1)
    const body = createReadStream('/nowhere/at/all')
    const call = world.client().fetch('/v1/shards', { method: 'POST', body })
    call.catch(() => {})
    await new Promise((done) => body.once('close', done))
    await world.clock.pass(1)
    await expect(call).rejects.toMatchObject({ code: 'ENOENT' })
    expect(world.stored).toEqual([])
  })

  it('is not touched where nothing will be sent at all', async () => {
    const world = openWorld()
    const body = new Blob(['abc']).stream()
    const init = { method: 'POST', body }
    const client = world.client()
    await expect(client.fetch('//evil.example', init)).rejects.toMatchObject({
      code: 'path_refused',
    })
    client.close()
    await expect(client.fetch('/v1/shards', init)).rejects.toMatchObject({ code: 'closed' })
    expect(body.locked).toBe(false)
  })

  it('that is stopped breaks off for whoever reads it, and does not end', async () => {
    const { pieces, over } = endless()
    const { stream, stop } = countBytes(pieces(), undefined)
    const reader = stream.getReader()
    await reader.read()
    const reason = new Error('enough')
    stop(reason)
    await expect(reader.read()).rejects.toBe(reason)
    await over
  })

  // conformance: Client / The client repairs a storage 401 once, and sends no partial stream
  it('that is stopped never looks to the storage like one that has ended', async () => {
    const world = await openRealWorld()
    const ends: string[] = []
    world.storage = (request) => {
      request.resume()
      request.once('end', () => ends.push('whole'))
      request.once('close', () => ends.push('closed'))
    }
    const controller = new AbortController()
    const { pieces, over } = endless()
    const { signal } = controller
    const body = pieces()
    const call = world.client().fetch('/v1/shards', { method: 'POST', body, signal })
    call.catch(() => {})
    await expect.poll(() => world.heard.storage.length).toBe(1)
    controller.abort()
    await over
    await expect.poll(() => ends).toEqual(['closed'])
  })
})
