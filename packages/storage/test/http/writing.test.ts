/** What who may write sends, under every name and in every form that clients have for it. */

import { makeShard, xorbFooter } from '@latchkey/testing/xet/making'
import { maxShardBytes, maxXorbBytes, maxXorbFooterBytes } from '@latchkey/xet/format'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bodyOf, type Caller, type Told } from '../caller.ts'
import { contentOf, everything, lookFor } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'
import { bundledThreads } from '../threads/bundled-threads.ts'
import { everyRoute, someHash } from './every-route.ts'

let stage: Stage
let writer: Caller
beforeAll(async () => {
  stage = await openStage({ openPool: bundledThreads })
})
afterAll(() => stage.close())
beforeEach(async () => {
  writer = await stage.caller(`write ${await stage.newRepository()}@main`)
})

const content = contentOf('to be written')
const { xorb, file } = content
const shard = makeShard({ files: [file], xorbs: [xorb] })

const writes = everyRoute.filter(({ wants }) => wants === 'write')
const namesOf = (what: string) =>
  writes
    .filter(({ name }) => name.includes(what))
    .map(({ method, path, name }) => [name, `${method} ${path}`] as const)
/** Requests about a grant bring no xorb. */
const xorbRoutes = namesOf('xorb').filter(([name]) => !name.includes('grant'))
const shardRoutes = namesOf('shard').filter(([name]) => !name.endsWith('/adopt'))

function eventsIn({ text }: Told): readonly Record<string, unknown>[] {
  const lines = text.split('\n')
  // The last line is as whole as the others.
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line))
}

/** A body whose length is not told, in pieces. */
function inPieces(bytes: Uint8Array, size: number) {
  const count = Math.ceil(bytes.length / size)
  return ReadableStream.from(
    Array.from({ length: count }, (_, at) => bodyOf(bytes.subarray(at * size, (at + 1) * size))),
  ) as ReadableStream<Uint8Array>
}

describe.each(xorbRoutes)('%s', (_, call) => {
  const own = call.replace(someHash, xorb.hash)

  test('takes a xorb, once', async () => {
    const sent = { body: bodyOf(xorb.bytes) }
    expect((await writer.ask(own, sent)).json).toEqual({ was_inserted: true })
    expect((await writer.ask(own, sent)).json).toEqual({ was_inserted: false })
    const told = await writer.ask(`GET /v1/xorbs/default/${xorb.hash}`)
    expect(told.bytes.equals(xorb.bytes)).toBe(true)
  })
})

describe.each(shardRoutes)('%s', (name, call) => {
  const tells = name.includes('/v2/')

  test('of what was not uploaded registers nothing', async () => {
    const told = await writer.ask(call, { body: bodyOf(shard) })
    const message = tells ? eventsIn(told).at(-1)?.['message'] : told.json['detail']
    expect([told.status, message]).toEqual([tells ? 200 : 400, expect.stringContaining(xorb.hash)])
    expect((await writer.ask(`HEAD /v1/files/${file.hash}`)).status).toBe(404)
  })

  test('takes a shard, once', async () => {
    await writer.upload(xorb)
    const result = async () => {
      const told = await writer.ask(call, { body: bodyOf(shard) })
      expect(told.status).toBe(200)
      return tells ? eventsIn(told).at(-1) : told.json
    }
    expect(await result()).toMatchObject({ result: 1 })
    expect(await result()).toMatchObject({ result: 0 })
    expect(await lookFor(writer, content)).toEqual(everything(content))
  })
})

test('a xorb with a footer is kept without it', async () => {
  const { xorb, file, bytes: unpacked } = contentOf('with a footer')
  // Longer than all that we write in its place.
  const bytes = Buffer.concat([xorb.bytes, xorbFooter(5000)])
  expect((await writer.upload({ hash: xorb.hash, bytes })).json).toEqual({ was_inserted: true })
  const told = await writer.ask(`GET /v1/xorbs/default/${xorb.hash}`)
  expect(told.bytes.equals(xorb.bytes)).toBe(true)
  await writer.register([file], [xorb])
  expect(await writer.download(file.hash)).toEqual(unpacked)
})

test('a shard with a footer is taken', async () => {
  await writer.upload(xorb)
  const body = bodyOf(makeShard({ files: [file], xorbs: [xorb], hasFooter: true }))
  expect((await writer.ask('POST /v1/shards', { body })).json).toEqual({ result: 1 })
})

test('bodies without a length are taken', async () => {
  const uploaded = await writer.ask(`POST /v1/xorbs/default/${xorb.hash}`, {
    body: inPieces(xorb.bytes, 700),
  })
  expect(uploaded.json).toEqual({ was_inserted: true })
  const registered = await writer.ask('POST /v1/shards', { body: inPieces(shard, 50) })
  expect(registered.json).toEqual({ result: 1 })
})

test('a file of nothing is registered without a xorb', async () => {
  const empty = { hash: '0'.repeat(64) as typeof file.hash, terms: [] }
  expect((await writer.register([empty])).json).toEqual({ result: 1 })
  expect(await writer.download(empty.hash)).toEqual(Buffer.alloc(0))
})

test('a shard is told of as it is checked, and in the end what came of it', async () => {
  await writer.upload(xorb)
  const told = await writer.ask('POST /v2/shards', { body: bodyOf(shard) })
  expect(told.headers.get('content-type')).toBe('application/x-ndjson')
  expect(told.headers.get('x-request-id')).toBeTruthy()
  expect(eventsIn(told)).toEqual([
    { type: 'validating', verified: 0, total: 1 },
    { type: 'validating', verified: 1, total: 2 },
    { type: 'validating', verified: 2, total: 2 },
    { type: 'committing', stage: 'syncing' },
    { type: 'result', result: 1 },
  ])
})

test('a shard that is not true ends with what is wrong about it', async () => {
  await writer.upload(xorb)
  const wrong = makeShard({ files: [{ ...file, hash: xorb.hash }] })
  const told = await writer.ask('POST /v2/shards', { body: bodyOf(wrong) })
  expect(told.status).toBe(200)
  const last = eventsIn(told).at(-1)
  expect(last).toEqual({ type: 'error', message: expect.stringContaining(file.hash) })
  expect(stage.drafts()).toEqual([])
})

describe.each([
  ['a xorb', `POST /v1/xorbs/default/${someHash}`, maxXorbBytes + maxXorbFooterBytes],
  ['a shard', 'POST /v1/shards', maxShardBytes],
  ['a shard that is told of', 'POST /v2/shards', maxShardBytes],
] as const)('%s', (_, call, most) => {
  // conformance: Attacks / 27. An attacker sends too much data, or the disk is full
  test('of more bytes than one may have is a 413, and is not read to its end', async () => {
    const [objects, rows] = [stage.objects(), await stage.rows()]
    const piece = new Uint8Array(1024 * 1024)
    let pieces = 0
    const endless = new ReadableStream({
      pull(controller) {
        pieces += 1
        if (pieces > 4096) controller.close()
        else controller.enqueue(piece)
      },
    })
    const told = await writer.ask(call, { body: endless })
    expect([told.status, told.code]).toEqual([413, 'body_too_large'])
    expect(pieces * piece.length).toBeLessThan(2 * most + 64 * piece.length)
    await expect.poll(() => stage.drafts()).toEqual([])
    expect([stage.objects(), await stage.rows()]).toEqual([objects, rows])
  })
})
