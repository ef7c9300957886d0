/** Progress is told on the way up and on the way down: from nothing to all of it. */

import { describe, expect, it } from 'vitest'
import type { StorageRequestInit } from '../../src/index.ts'
import { openRealWorld } from '../safety/loopback.ts'
import { openWorld } from '../world.ts'

type Told = [bytes: number, total: number | undefined]

function teller() {
  const told: Told[] = []
  const tell = (bytes: number, total: number | undefined) => told.push([bytes, total])
  return { told, tell: tell as (bytes: number, total: number | undefined) => void }
}

const size = 1_000_000
const data = new Uint8Array(size).fill(97)

async function* generated() {
  for (let begin = 0; begin < size; begin += 100_000) yield data.subarray(begin, begin + 100_000)
}

function expectSteps(told: readonly Told[], total: number | undefined): void {
  expect(told[0]).toEqual([0, total])
  expect(told.at(-1)).toEqual([size, total])
  expect(told.length).toBeGreaterThan(3)
  for (const [index, [bytes]] of told.entries()) {
    expect(bytes).toBeGreaterThanOrEqual(told[index - 1]?.[0] ?? 0)
  }
}

describe('progress of an upload', () => {
  it.each<[string, StorageRequestInit['body'], number | undefined]>([
    ['a string', 'a'.repeat(size), size],
    ['a Buffer', Buffer.from(data), size],
    ['a Blob', new Blob([data]), size],
    ['a function that makes a Blob', () => new Blob([data]), size],
    ['a ReadableStream', ReadableStream.from(generated()) as ReadableStream<Uint8Array>, undefined],
    ['an async generator', generated(), undefined],
    ['a function that makes a generator', generated, undefined],
  ])('is told step by step, with the total where it is known: %s', async (_, body, total) => {
    const world = await openRealWorld()
    const { told, tell } = teller()
    const init = { method: 'POST', body, onUploadProgress: tell }
    const answer = await world.client().fetch('/v1/shards', init)
    expect((await answer.arrayBuffer()).byteLength).toBe(size)
    expectSteps(told, total)
  })

  it('begins anew with every try', async () => {
    const world = openWorld()
    world.storage = () => (world.stored.length < 2 ? new Response('', { status: 503 }) : undefined)
    const { told, tell } = teller()
    const init = { method: 'POST', body: 'abc', onUploadProgress: tell }
    const call = world.client().fetch('/v1/shards', init)
    await world.clock.pass(1)
    await call
    expect(told).toEqual([
      [0, 3],
      [3, 3],
      [0, 3],
      [3, 3],
    ])
  })

  it('whose teller throws ends the upload with that', async () => {
    const world = await openRealWorld()
    const oops = new Error('oops')
    const onUploadProgress = (bytes: number) => {
      if (bytes > 300_000) throw oops
    }
    const init = { method: 'POST', body: generated, onUploadProgress }
    await expect(world.client().fetch('/v1/shards', init)).rejects.toBe(oops)
  })
})

describe('progress of a download', () => {
  // conformance: Client / Streams, progress and abort signals work
  it('is told step by step, with the total that the storage says', async () => {
    const world = await openRealWorld()
    world.storage = (_request, response) => {
      response.writeHead(200, { 'content-length': size, 'x-own': 'kept' }).end(data)
    }
    const { told, tell } = teller()
    const answer = await world.client().fetch('/v1/a', { onDownloadProgress: tell })
    expect(Buffer.from(await answer.arrayBuffer()).equals(data)).toBe(true)
    expectSteps(told, size)
    expect([answer.status, answer.headers.get('x-own')]).toEqual([200, 'kept'])
  })

  it.each<[string, Record<string, string>]>([
    ['says no length', {}],
    ['compresses', { 'content-length': '17', 'content-encoding': 'gzip' }],
  ])('has no total where the storage %s', async (_, headers) => {
    const world = openWorld()
    world.storage = () => new Response('abc', { headers })
    const { told, tell } = teller()
    const answer = await world.client().fetch('/v1/a', { onDownloadProgress: tell })
    expect(await answer.text()).toBe('abc')
    expect(told).toEqual([
      [0, undefined],
      [3, undefined],
    ])
  })

  it.each([204, 304, 404, 416])('leaves the status as it is: %i', async (status) => {
    const world = openWorld()
    world.storage = () => new Response(status < 400 ? null : 'no', { status, statusText: 'So' })
    const answer = await world.client().fetch('/v1/a', { onDownloadProgress: () => {} })
    expect([answer.status, answer.statusText]).toEqual([status, 'So'])
  })

  it('whose teller throws ends the download with that, and lets the storage go', async () => {
    const world = openWorld()
    const oops = new Error('oops')
    const { promise: cancelled, resolve: cancel } = Promise.withResolvers<unknown>()
    const pull = (controller: ReadableStreamDefaultController) =>
      controller.enqueue(new Uint8Array(10))
    world.storage = () => new Response(new ReadableStream({ pull, cancel }))
    const onDownloadProgress = (bytes: number) => {
      if (bytes > 30) throw oops
    }
    const answer = await world.client().fetch('/v1/a', { onDownloadProgress })
    await expect(answer.arrayBuffer()).rejects.toBe(oops)
    expect(await cancelled).toBe(oops)
  })

  it('that is left in the middle lets the storage go', async () => {
    const world = openWorld()
    let isCancelled = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel() {
        isCancelled = true
      },
    })
    world.storage = () => new Response(body)
    const answer = await world.client().fetch('/v1/a', { onDownloadProgress: () => {} })
    await answer.body?.cancel()
    expect(isCancelled).toBe(true)
  })
})
