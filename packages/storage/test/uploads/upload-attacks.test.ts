/** An upload is its account's own: others neither see, continue nor end it, and one account does not fill the storage. */

import { dial, head, type RawLine } from '@latchkey/testing/http/raw-line'
import { randomBytes, wordyBytes } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { uploadBounds } from '../../src/catalog/file-uploads.ts'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { digestOf, fileOf, offsetOf, putPart, stateOf } from './file-parts.ts'

const bytes = wordyBytes('attack', 200_000)

let stage: Stage
let repository: string
let owner: Caller
beforeAll(async () => {
  stage = await openStage()
  const { world } = stage
  await world.done('member set', { namespace: 'acme', account: 'rival', role: 'write' })
  repository = await stage.newRepository()
  await stage.newBranch(repository, 'dev')
  owner = await stage.caller(`write ${repository}@main`)
})
afterAll(() => stage.close())

describe('an ID of an upload opens nothing', () => {
  test.each([
    ['another account', () => stage.caller(`write ${repository}@main`, 'rival/write')],
    ['another ref', () => stage.caller(`write ${repository}@dev`)],
    ['another repository', async () => stage.caller(`write ${await stage.newRepository()}@main`)],
  ])('to %s', async (_, openOther) => {
    const other = await openOther()
    const id = 'mine'
    await owner.ask(`DELETE /v1/files?upload=${id}`)
    await putPart(owner, bytes, { id, from: 0, to: 1000 })
    const [absent, present] = [await stateOf(other, 'none'), await stateOf(other, id)]
    expect(present).toEqual(absent)
    expect(present).toEqual([404, null, null])
    expect((await other.ask(`DELETE /v1/files?upload=${id}`)).code).toBe('resource_not_found')
    const told = await putPart(other, bytes, { id, from: 1000, to: bytes.length })
    expect([told.code, offsetOf(told)]).toEqual(['upload_offset_mismatch', '0'])
    // The same ID is another upload there.
    await putPart(other, bytes, { id, from: 0, to: 7 })
    expect(await stateOf(owner, id)).toEqual([200, '1000', '?0'])
    const end = await putPart(owner, bytes, { id, from: 1000, to: bytes.length })
    expect(end.json).toEqual(await fileOf(bytes))
    expect((await stateOf(other, id))[1]).toBe('7')
  })

  test('to a token that may only read, which ends no request either', async () => {
    const reader = await stage.caller(`read ${repository}@main`)
    const line = await announce(owner, 'read', 1000)
    line.say('begin')
    expect(await stateOf(reader, 'read')).toEqual([200, '0', '?0'])
    for (const call of ['PUT', 'DELETE']) {
      expect((await reader.ask(`${call} /v1/files?upload=read`)).code).toBe('insufficient_scope')
    }
    line.say(bytes.subarray(0, 995))
    expect(await line.hears('"size":1000')).toMatch(/^HTTP\/1\.1 200 /m)
  })
})

test.each([
  ...['upload=', 'upload=..', 'upload=%2e%2e%2fa', 'upload=a%2Fb', 'upload=a%00', 'upload=a%20'],
  ...[
    'upload=a&upload=b',
    'upload=a&upload=a',
    'upload=é',
    `upload=${'a'.repeat(129)}`,
    'upload=a+b',
  ],
])('an upload with the query ?%s is refused', async (query) => {
  for (const method of ['PUT', 'HEAD', 'DELETE']) {
    const told = await owner.ask(`${method} /v1/files?${encodeURI(decodeURI(query))}`)
    expect([method, told.status]).toEqual([method, 400])
  }
})

test('without an ID there is neither a part, a state nor anything to delete', async () => {
  const [, files] = await stage.rows()
  const headers = { 'content-range': 'bytes 0-3/9' }
  const told = await owner.ask('PUT /v1/files', { body: 'part', headers })
  expect([told.status, told.code]).toEqual([400, 'bad_request'])
  for (const method of ['HEAD', 'DELETE']) {
    expect((await owner.ask(`${method} /v1/files`)).status).toBe(400)
  }
  expect((await stage.rows())[1]).toBe(files)
})

describe('a body', () => {
  test('of another length than its range is refused before it is read', async () => {
    for (const [from, to] of [
      [0, 3],
      [0, 5],
    ] as const) {
      const headers = { 'content-range': `bytes ${from}-${to - 1}/9` }
      const told = await owner.ask('PUT /v1/files?upload=length', { body: 'four', headers })
      expect([told.status, told.code]).toEqual([400, 'bad_request'])
    }
    const headers = { 'content-range': 'bytes */9' }
    expect((await owner.ask('PUT /v1/files?upload=length', { body: 'x', headers })).status).toBe(
      400,
    )
    expect((await stateOf(owner, 'length'))[0]).toBe(404)
  })

  test('in chunks ends where its range does, and goes on if it is shorter', async () => {
    const put = (range: string, sent: Uint8Array) =>
      owner.ask('PUT /v1/files?upload=chunks', {
        body: new Blob([new Uint8Array(sent)]).stream(),
        headers: { 'content-range': range, 'transfer-encoding': 'chunked' },
      })
    const long = await put('bytes 0-99/200000', bytes.subarray(0, 150))
    expect([long.status, long.code]).toEqual([400, 'bad_request'])
    expect(await stateOf(owner, 'chunks')).toEqual([200, '100', '?0'])
    const short = await put('bytes 100-199999/200000', bytes.subarray(100, 5000))
    expect([short.status, offsetOf(short)]).toEqual([202, '5000'])
    const end = await put('bytes 5000-199999/200000', bytes.subarray(5000))
    expect(end.json).toEqual(await fileOf(bytes))
  })
})

/** Announces the whole file, and waits until the storage reads it. */
async function announce({ url, token }: Caller, id: string, length: number): Promise<RawLine> {
  const line = await dial(stage.url)
  const target = `PUT ${new URL(url).pathname}/v1/files?upload=${id}`
  const said = [`Content-Length: ${length}`, 'Expect: 100-continue']
  line.say(head(target, said, { authorization: `Bearer ${token}` }))
  await line.hears(/^HTTP\/1\.1 100 Continue/)
  return line
}

describe('a newer request for the same upload', () => {
  test.each(['HEAD', 'PUT'])('by %s ends the older one, whose bytes are kept', async (method) => {
    const id = `newer-${method}`
    const line = await announce(owner, id, bytes.length)
    line.say(bytes.subarray(0, 5000))
    await expect.poll(() => stage.drafts(), { timeout: 30_000 }).toHaveLength(1)
    const told =
      method === 'HEAD'
        ? await owner.ask(`HEAD /v1/files?upload=${id}`)
        : await putPart(owner, bytes, { id, from: 0, to: bytes.length })
    expect(told.status).toBe(method === 'HEAD' ? 200 : 409)
    expect(await line.hears(/"code":"\w+"/)).toMatch(/HTTP\/1\.1 409 .*"code":"conflict"/s)
    line.socket.destroy()
    const from = Number(offsetOf(told))
    expect(from).toBe(5000)
    const end = await putPart(owner, bytes, { id, from, to: bytes.length })
    expect(end.json).toEqual(await fileOf(bytes))
  })

  test('many at once leave the file whole', async () => {
    const id = 'many'
    const put = () => putPart(owner, bytes, { id, from: 0, to: bytes.length })
    const told = await Promise.all(Array.from({ length: 8 }, put))
    for (const { status } of told) expect([200, 409]).toContain(status)
    const state = await owner.ask(`HEAD /v1/files?upload=${id}`)
    const from = Number(offsetOf(state))
    const end = await putPart(owner, bytes, { id, from, to: bytes.length })
    expect(end.json).toEqual(await fileOf(bytes))
    expect(stage.drafts()).toEqual([])
  })
})

/** As if the same account had begun so many others. */
function copyUpload(id: string, count: number) {
  return stage.maintenance.change(async (tables) => {
    const row = await tables
      .selectFrom('file_uploads')
      .selectAll()
      .where('name', '=', id)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: count }, (_, at) => ({ ...row, name: `copy${at}` }))
    await tables.insertInto('file_uploads').values(rows).execute()
  })
}

describe('one account', () => {
  test('has a bounded number of uploads that are not finished', async () => {
    const by = await stage.caller(`write ${await stage.newRepository()}@main`, 'rival/write')
    const begin = (id: string) => putPart(by, bytes, { id, from: 0, to: 1 })
    const isBegun = async (id: string) => (await begin(id)).status === 202
    expect(await isBegun('first')).toBe(true)
    await copyUpload('first', uploadBounds.uploads - 5)
    let count = uploadBounds.uploads - 4
    while (count <= uploadBounds.uploads && (await isBegun(`u${count}`))) count += 1
    // Those of other tests count, too.
    expect(count).toBeLessThanOrEqual(uploadBounds.uploads)
    const refused = await begin('more')
    expect([refused.code, refused.text]).toEqual([
      'rate_limited',
      expect.stringContaining('DELETE'),
    ])
    // Others are not affected, and one that is deleted makes room.
    expect((await putPart(owner, bytes, { id: 'free', from: 0, to: 1 })).status).toBe(202)
    await by.ask('DELETE /v1/files?upload=first')
    expect((await begin('more')).status).toBe(202)
  })

  test('cannot announce more bytes than it may have under way', async () => {
    const whole = Number.MAX_SAFE_INTEGER
    const told = await putPart(owner, bytes, { id: 'endless', from: 0, to: 9, whole })
    expect([told.status, told.code]).toEqual([413, 'quota_exceeded'])
    expect((await stateOf(owner, 'endless'))[0]).toBe(404)
  })

  test('pays for an upload that no part is missing of once', async () => {
    const content = randomBytes('once', 100_000)
    const put = (id: string) => putPart(owner, content, { id, from: 0, to: content.length })
    await put('once')
    const before = await stage.rows()
    expect((await put('once')).status).toBe(200)
    expect((await put('twice')).status).toBe(200)
    expect(await stage.rows()).toEqual(before)
  })
})

test('a wrong digest at the end registers nothing, whoever asks then', async () => {
  const content = randomBytes('digest', 50_000)
  const headers = { 'repr-digest': digestOf(bytes) }
  await putPart(owner, content, { id: 'wrong', from: 0, to: 49_999 })
  const told = await putPart(owner, content, { id: 'wrong', from: 49_999, to: 50_000, headers })
  expect(told.code).toBe('content_invalid')
  const { hash } = await fileOf(content)
  expect((await owner.ask(`GET /v1/files/${hash}`)).status).toBe(404)
})

/** Each request for the upload reads and writes all that it has. */
test('an upload ends with the part that makes it more pieces than a file may have', async () => {
  const shardCaps = { files: 8, xorbs: 8, terms: 3, chunks: 100 }
  const capped = await openStage({ settings: { shardCaps } })
  onTestFinished(() => capped.close())
  const by = await capped.caller(`write ${await capped.newRepository()}@main`)
  const content = randomBytes('pieces', 1_000_000)
  const codes: unknown[] = []
  for (let from = 0; from < content.length; from += 200_000) {
    const told = await putPart(by, content, { from, to: from + 200_000 })
    codes.push(told.code ?? told.status)
    if (told.status !== 202) break
  }
  expect(codes).toEqual([202, 202, 202, 'content_invalid'])
  expect((await stateOf(by))[0]).toBe(404)
  // A file of fewer pieces is taken.
  const whole = randomBytes('whole', 200_000)
  expect((await by.ask('PUT /v1/files', { body: new Uint8Array(whole) })).status).toBe(200)
})
