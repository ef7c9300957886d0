/** A file that comes in several requests: after each, the storage says how far it is, and goes on from there. */

import { request } from 'node:http'
import { randomBytes, wordyBytes } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { digestOf, fileOf, offsetOf, putPart, stateOf } from './file-parts.ts'

const kibibyte = 1024
const small = wordyBytes('resume', 300 * kibibyte)
/** More than one piece. */
const large = randomBytes('resume', 9 * 1024 * kibibyte + 77)

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

async function writer(): Promise<Caller> {
  return stage.caller(`write ${await stage.newRepository()}@main`)
}

/** Sends the first bytes of a longer body, and goes away once the storage has written down some of them. */
async function breakOff(by: Caller, bytes: Uint8Array, sent: number): Promise<void> {
  const headers = { authorization: `Bearer ${by.token}`, 'content-length': bytes.length }
  const put = request(`${by.url}/v1/files?upload=up`, { method: 'PUT', agent: false, headers })
  put.on('error', () => {})
  put.write(bytes.subarray(0, sent))
  await vi.waitFor(() => expect(stage.draftBytes()).toBeGreaterThan(0), 30_000)
  put.destroy()
}

describe('an upload', () => {
  test('in parts is the same file as in one body', async () => {
    const by = await writer()
    const ends = [1, 64 * kibibyte, 64 * kibibyte + 1, 200 * kibibyte, small.length]
    let from = 0
    for (const to of ends) {
      const told = await putPart(by, small, { from, to })
      if (to < small.length) expect([told.status, offsetOf(told)]).toEqual([202, String(to)])
      else expect([told.status, told.json]).toEqual([200, await fileOf(small)])
      from = to
    }
    expect(await stateOf(by)).toEqual([200, String(small.length), '?1'])
    const read = await by.ask(`GET /v1/files/${(await fileOf(small)).hash}`)
    expect(read.bytes.equals(small)).toBe(true)
  })

  test('of one body is a file at once, and the same request again has the same response', async () => {
    const by = await writer()
    const put = (id: string, body: Uint8Array = small) =>
      by.ask(`PUT /v1/files?upload=${id}`, { body: new Uint8Array(body) })
    for (const id of ['a', 'a', 'A-_9'.repeat(32)]) {
      const told = await put(id)
      expect([told.status, told.json]).toEqual([200, await fileOf(small)])
    }
    const empty = await put('empty', new Uint8Array(0))
    expect(empty.json['size']).toBe(0)
  })

  test('of a length that is not known ends when the client says its length', async () => {
    const by = await writer()
    const put = (from: number, to: number, whole: number | '*') =>
      putPart(by, small, { from, to, whole })
    expect(offsetOf(await put(0, 100_000, '*'))).toBe('100000')
    expect(offsetOf(await put(100_000, small.length, '*'))).toBe(String(small.length))
    expect((await put(0, 0, '*')).status).toBe(202)
    expect((await put(0, 0, small.length + 1)).status).toBe(202)
    expect((await put(0, 0, small.length)).json).toEqual(await fileOf(small))
  })

  test('that breaks off within its first piece has kept what came', async () => {
    const by = await writer()
    await breakOff(by, large, 3 * 1024 * kibibyte)
    const [status, offset, isComplete] = await stateOf(by)
    expect([status, isComplete]).toEqual([200, '?0'])
    expect(Number(offset)).toBeGreaterThan(0)
    const told = await putPart(by, large, { from: Number(offset), to: large.length })
    expect([told.status, told.json]).toEqual([200, await fileOf(large)])
    expect(stage.drafts()).toEqual([])
  })

  test('goes on with another token of the same account', async () => {
    const repository = await stage.newRepository()
    const callers = await Promise.all([1, 2].map(() => stage.caller(`write ${repository}@main`)))
    const [one, other] = callers as [Caller, Caller]
    expect(one.token).not.toBe(other.token)
    await putPart(one, small, { from: 0, to: 7 })
    const told = await putPart(other, small, { from: 7, to: small.length })
    expect(told.json).toEqual(await fileOf(small))
  })

  test('is asked for by an empty body, and unknown ones are at their beginning', async () => {
    const by = await writer()
    const ask = (whole: number | '*') => putPart(by, small, { from: 0, to: 0, whole })
    expect([(await ask(9)).status, offsetOf(await ask('*'))]).toEqual([202, '0'])
    expect(await stateOf(by)).toEqual([404, null, null])
    await putPart(by, small, { from: 0, to: 7 })
    expect([(await ask(9)).status, offsetOf(await ask('*'))]).toEqual([202, '7'])
    expect(await stateOf(by)).toEqual([200, '7', '?0'])
  })

  test('that is deleted begins anew', async () => {
    const by = await writer()
    await putPart(by, small, { from: 0, to: 7 })
    const remove = () => by.ask('DELETE /v1/files?upload=up')
    expect([(await remove()).status, (await remove()).code]).toEqual([204, 'resource_not_found'])
    expect((await stateOf(by))[0]).toBe(404)
    const told = await putPart(by, small, { from: 7, to: 9 })
    expect([told.code, offsetOf(told)]).toEqual(['upload_offset_mismatch', '0'])
  })
})

describe('a body is refused', () => {
  test('that begins elsewhere, with the byte to go on from', async () => {
    const by = await writer()
    await putPart(by, small, { from: 0, to: 1000 })
    for (const from of [0, 999, 1001]) {
      const told = await putPart(by, small, { from, to: small.length })
      expect([told.status, told.code, offsetOf(told)]).toEqual([
        ...[409, 'upload_offset_mismatch', '1000'],
      ])
    }
    const whole = await by.ask('PUT /v1/files?upload=up', { body: new Uint8Array(small) })
    expect(offsetOf(whole)).toBe('1000')
  })

  test.each([
    ...['0-6', 'bytes 0-6', 'bytes 7-6/9', 'bytes 0-9/9', 'bytes -1-6/9', 'bytes 0--6/9'],
    ...['bytes 0-6/9007199254740992', 'bytes 0-9007199254740991/*', 'bytes 0-6/-9', 'items 0-6/9'],
    ...[
      'bytes 18446744073709551610-18446744073709551616/*',
      'bytes 0-6/9, bytes 0-6/9',
      'bytes 0x0-0x6/9',
    ],
    ...['bytes 1e0-6/9', 'bytes */', 'bytes 0-6/９'],
  ])('with the Content-Range %s', async (range) => {
    const by = await writer()
    const header = Buffer.from(range).toString('latin1')
    const told = await by.ask('PUT /v1/files?upload=up', {
      body: '1234567',
      headers: { 'content-range': header },
    })
    expect([told.status, told.code]).toEqual([400, 'bad_request'])
    expect((await stateOf(by))[0]).toBe(404)
  })
})

test('an upload with another SHA-256 than announced is not registered, and begins anew', async () => {
  const by = await writer()
  const [, files] = await stage.rows()
  await putPart(by, small, { from: 0, to: 1000 })
  const end = (digest: string) =>
    putPart(by, small, {
      ...{ from: 1000, to: small.length },
      headers: { 'repr-digest': digest },
    })
  expect((await end('sha-256=:AAAA:')).code).toBe('bad_request')
  const told = await end(digestOf(large))
  expect([told.status, told.code]).toEqual([400, 'content_invalid'])
  expect((await stage.rows())[1]).toBe(files)
  expect((await stateOf(by))[0]).toBe(404)
  await putPart(by, small, { from: 0, to: 1000 })
  expect((await end(digestOf(small))).status).toBe(200)
  // The response that is sent again is for the same bytes alone.
  expect((await end(digestOf(large))).code).toBe('content_invalid')
  expect((await end(digestOf(small))).status).toBe(200)
})

test('an upload expires 24 hours after its last byte', async () => {
  const repository = await stage.newRepository()
  const later = (hours: number) => {
    stage.world.passSeconds(hours * 3600)
    return stage.caller(`write ${repository}@main`)
  }
  await putPart(await later(0), small, { from: 0, to: 7 })
  await putPart(await later(20), small, { from: 7, to: 9 })
  expect(await stateOf(await later(20))).toEqual([200, '9', '?0'])
  const by = await later(5)
  expect((await stateOf(by))[0]).toBe(404)
  expect(offsetOf(await putPart(by, small, { from: 9, to: 10 }))).toBe('0')
})
