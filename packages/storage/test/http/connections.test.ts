/** What happens on a connection besides whole requests and whole answers. */

import { rounds } from '@latchkey/testing/chance'
import { answersIn, headerOf } from '@latchkey/testing/http/raw-answers'
import { dial, head, saidAlone } from '@latchkey/testing/http/raw-line'
import { makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { maxShardBytes, maxXorbBytes, maxXorbFooterBytes } from '@latchkey/xet/format'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { contentOf } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const { xorb, file } = contentOf('on the line')
const shard = makeShard({ files: [file], xorbs: [xorb] })
const uploadCall = `POST /v1/xorbs/default/${xorb.hash}`
const tooLong = maxXorbBytes + maxXorbFooterBytes + 1

let stage: Stage
let writer: Caller
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  writer = await stage.caller(`write ${await stage.newRepository()}@main`)
})

/** The lines of a request up to the empty one. */
function headOf(
  call: string,
  more: readonly string[],
  token: string | null = writer.token,
): string {
  const [method, path] = call.split(' ')
  const authorization = token === null ? null : `Bearer ${token}`
  return head(`${method} ${new URL(writer.url).pathname}${path}`, more, { authorization })
}

const lengthOf = (bytes: Buffer) => `Content-Length: ${bytes.length}`

/** A refusal that was heard to the end of its body, with nothing before it. */
const whole = /^HTTP\/1\.1 4[\s\S]*\}$/

/** As often as somebody may go away. */
const times = Array.from({ length: rounds(5, 200) })

test.each([
  ['a xorb', uploadCall, tooLong],
  ['a shard', 'POST /v1/shards', maxShardBytes + 1],
  ['telemetry', 'POST /v1/telemetry', 1024 * 1024 + 1],
])('%s that announces too much is a 413 before any of it is sent', async (_, call, length) => {
  const line = await dial(stage.url)
  line.say(headOf(call, [`Content-Length: ${length}`, 'Expect: 100-continue']))
  const [answer] = answersIn(await line.hears(whole))
  expect([answer?.status, JSON.parse(answer?.body ?? '').code]).toEqual([413, 'body_too_large'])
})

test.each([
  ['without a token', null, 401],
  ['of what is over', 'x.y.z', 401],
])('who asks before sending %s is told no, and not to go on', async (_, token, status) => {
  const line = await dial(stage.url)
  line.say(headOf(uploadCall, ['Content-Length: 5', 'Expect: 100-continue'], token))
  expect(answersIn(await line.hears(whole))).toMatchObject([{ status }])
})

test('who asks before sending is told to go on, and then what came of it', async () => {
  const line = await dial(stage.url)
  const asked = [lengthOf(xorb.bytes), 'Expect: 100-continue', 'Connection: close']
  line.say(headOf(uploadCall, asked))
  await line.hears('100 Continue')
  line.say(xorb.bytes)
  expect(answersIn(await line.toTheEnd())).toMatchObject([
    { status: 100 },
    { status: 200, body: '{"was_inserted":true}' },
  ])
})

test('any other expectation is a 400', async () => {
  const asked = ['Content-Length: 0', 'Expect: wonders', 'Connection: close']
  const told = await saidAlone(stage.url, headOf(uploadCall, asked))
  expect(answersIn(told)).toMatchObject([{ status: 400 }])
})

test('a connection goes on after an upload that was read and refused', async () => {
  const line = await dial(stage.url)
  const wrong = makeXorb(randomChunks('another', 1)).bytes
  line.say(headOf(uploadCall, [lengthOf(wrong)]), wrong)
  await line.hears('content_invalid')
  line.say(headOf(uploadCall, [lengthOf(xorb.bytes), 'Connection: close']), xorb.bytes)
  const answers = answersIn(await line.toTheEnd())
  expect(answers.map(({ status }) => status)).toEqual([400, 200])
})

test('a connection ends after an upload that was refused unread, and the answer is heard', async () => {
  const line = await dial(stage.url)
  line.say(headOf(uploadCall, ['Content-Length: 1000000'], null), Buffer.alloc(500_000))
  await line.hears('storage_token_missing')
  line.say(Buffer.alloc(500_000))
  const [answer, another] = answersIn(await line.toTheEnd())
  expect([answer?.status, another]).toEqual([401, undefined])
  expect(answer && headerOf(answer, 'connection')).toBe('close')
})

test('who sends all of a body that is too long hears why, and is not broken off', async () => {
  const line = await dial(stage.url)
  const piece = Buffer.alloc(1024 * 1024)
  line.say(headOf('POST /v1/telemetry', ['Transfer-Encoding: chunked']))
  for (let count = 0; count < 24; count += 1) line.say('100000\r\n', piece, '\r\n')
  line.say('0\r\n\r\n')
  const [answer] = answersIn(await line.toTheEnd())
  expect([answer?.status, line.broke()]).toEqual([413, undefined])
  expect(line.socket.bytesWritten).toBeGreaterThan(24 * piece.length)
})

test('requests that come before their answers are answered in their order', async () => {
  await writer.upload(xorb)
  const line = await dial(stage.url)
  const get = (range: string) => headOf(`GET /v1/xorbs/default/${xorb.hash}`, [`Range: ${range}`])
  line.say(
    headOf('POST /v1/shards', [lengthOf(shard)]),
    shard,
    get('bytes=0-3'),
    get('bytes=999999-'),
    headOf(`HEAD /v1/files/${file.hash}`, []).replace('HEAD', 'POST'),
    headOf(`GET /v1/chunks/default/${'0'.repeat(64)}`, ['Connection: close']),
  )
  const answers = answersIn(await line.toTheEnd())
  expect(answers.map(({ status }) => status)).toEqual([200, 206, 416, 405, 404])
  expect(answers[0]?.body).toBe('{"result":1}')
})

test.each([
  ['in the middle of a xorb', uploadCall, xorb.bytes, 0.5],
  ['at the last byte of a xorb', uploadCall, xorb.bytes, 0.999],
  ['right after a xorb', uploadCall, xorb.bytes, 1],
  ['in the middle of a shard', 'POST /v1/shards', shard, 0.5],
  ['right after a shard', 'POST /v1/shards', shard, 1],
  ['in the middle of a shard that is told of', 'POST /v2/shards', shard, 0.5],
  ['right after a shard that is told of', 'POST /v2/shards', shard, 1],
])('a client that goes away %s leaves no draft behind', async (_, call, bytes, part) => {
  for (const _time of times) {
    const before = stage.lines.length
    const line = await dial(stage.url)
    line.say(headOf(call, [lengthOf(bytes)]), bytes.subarray(0, Math.floor(bytes.length * part)))
    // As soon as there is something that could stay.
    const isUnderWay = () => stage.drafts().length > 0 || stage.lines.length > before
    await expect.poll(isUnderWay, { interval: 1 }).toBe(true)
    line.socket.resetAndDestroy()
    await expect.poll(() => stage.lines.length, { interval: 1 }).toBeGreaterThan(before)
  }
  await expect.poll(() => stage.drafts(), { timeout: 60_000 }).toEqual([])
  if (part < 1) expect((await writer.ask(`HEAD /v1/xorbs/default/${xorb.hash}`)).status).toBe(404)
})

test('a client that goes away while it reads is written down as cut, and others go on', async () => {
  const large = makeXorb(randomChunks('large', 60, 100_000), { scheme: 'none' })
  await writer.upload(large)
  const line = await dial(stage.url)
  line.socket.once('data', () => line.socket.resetAndDestroy())
  line.say(headOf(`GET /v1/xorbs/default/${large.hash}`, []))
  await line.toTheEnd()
  await expect.poll(() => stage.lines.at(-1)).toContain('"event":"storage_aborted"')
  const told = await writer.ask(`GET /v1/xorbs/default/${large.hash}`)
  expect(told.bytes.equals(large.bytes)).toBe(true)
})

test('nothing of this was a failure of the storage', () => {
  expect(stage.lines.filter((line) => line.includes('storage_failed'))).toEqual([])
})
