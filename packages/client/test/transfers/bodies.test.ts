/** Whatever holds bytes can be sent, and arrives as it was. */

import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { StorageRequestInit } from '../../src/index.ts'
import { openRealWorld } from '../safety/loopback.ts'
import { openWorld } from '../world.ts'

type Body = Exclude<StorageRequestInit['body'], (...given: never[]) => unknown>

const text = 'bytes ä 🗝 '.repeat(5000)
const bytes = new TextEncoder().encode(text)
const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 40_000), bytes.subarray(40_000)]

async function* generated() {
  yield* pieces
}

/** Each makes a body anew. */
const makers: [string, () => Body][] = [
  ['a string', () => text],
  ['a Buffer', () => Buffer.from(text)],
  ['a Uint8Array', () => bytes],
  ['a view of other bytes', () => new Uint8Array([...bytes, 1, 2]).subarray(0, bytes.length)],
  ['an ArrayBuffer', () => bytes.slice().buffer],
  ['a Blob', () => new Blob([text])],
  ['a ReadableStream', () => ReadableStream.from(pieces) as ReadableStream<Uint8Array>],
  ['a stream of bytes', () => new Blob([text]).stream()],
  ['an async generator', generated],
  ['a stream of Node', () => Readable.from(pieces)],
]

const onUploadProgress = () => {}

const ways: [string, (make: () => Body) => StorageRequestInit][] = [
  ['as it is', (make) => ({ body: make() })],
  ['with progress', (make) => ({ body: make(), onUploadProgress })],
  ['from a function', (make) => ({ body: make })],
  ['from an async function', (make) => ({ body: async () => make() })],
  ['from a function with progress', (make) => ({ body: make, onUploadProgress })],
]

describe.each(makers)('%s', (_, make) => {
  it.each(ways)('arrives whole, %s', async (_, init) => {
    const world = await openRealWorld()
    const answer = await world.client().fetch('/v1/shards', { method: 'POST', ...init(make) })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe(text)
  })
})

describe('a body', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a function that gives nothing', () => undefined],
    ['an empty string', ''],
    ['an empty Blob', new Blob([])],
    ['an empty stream', new Blob([]).stream()],
  ])('may be empty: %s', async (_, body) => {
    const world = await openRealWorld()
    const init = { method: 'POST', body, onUploadProgress }
    const answer = await world.client().fetch('/v1/shards', init)
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  it('keeps its type, unless the caller names another', async () => {
    const world = openWorld()
    const client = world.client()
    const send = (init: StorageRequestInit) =>
      client.fetch('/v1/shards', { method: 'POST', ...init })
    const blob = new Blob(['{}'], { type: 'application/json' })
    await send({ body: blob, onUploadProgress })
    await send({ body: blob, onUploadProgress, headers: { 'content-type': 'text/csv' } })
    await send({ body: 'abc', onUploadProgress })
    await send({ body: Buffer.from('abc'), onUploadProgress })
    expect(world.stored.map(({ headers }) => headers.get('content-type'))).toEqual([
      'application/json',
      'text/csv',
      expect.stringMatching(/^text\/plain;charset=utf-8$/i),
      null,
    ])
  })

  it('of a known length says so also when its progress is watched', async () => {
    const world = await openRealWorld()
    world.storage = (request, response) => {
      request.resume()
      response.end(`${request.headers['content-length']} ${request.headers['transfer-encoding']}`)
    }
    const client = world.client()
    for (const body of ['abcde', Buffer.from('abcde'), new Blob(['abcde'])]) {
      const init = { method: 'POST', body, onUploadProgress }
      expect(await (await client.fetch('/v1/shards', init)).text()).toBe('5 undefined')
    }
  })

  it('that breaks is told as what broke it, and not tried again', async () => {
    const world = await openRealWorld()
    const broken = new Error('the disk is gone')
    async function* breaking() {
      yield bytes
      throw broken
    }
    for (const body of [breaking(), breaking]) {
      const call = world
        .client({ retryTimeoutSeconds: 60 })
        .fetch('/v1/shards', { method: 'POST', body })
      await expect(call).rejects.toBe(broken)
    }
  })

  it('of a stream that holds no bytes is refused', async () => {
    const world = await openRealWorld()
    const body = ReadableStream.from(['text']) as unknown as ReadableStream<Uint8Array>
    const call = world.client().fetch('/v1/shards', { method: 'POST', body })
    await expect(call).rejects.toThrow('a body holds bytes only')
  })
})

it('a Request of the platform gives its method, headers and body', async () => {
  const world = openWorld()
  const request = new Request('http://any', {
    ...{ method: 'POST', headers: { 'x-more': 'a' }, body: 'data' },
  })
  await world.client().fetch('/v1/xorbs/x', request)
  expect(world.stored).toMatchObject([{ method: 'POST', body: 'data' }])
  expect(world.stored[0]?.headers.get('x-more')).toBe('a')
})
