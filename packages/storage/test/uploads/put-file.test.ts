/** A file of any length by one request, cut and packed by the storage. */

import { createHash } from 'node:crypto'
import { chance } from '@latchkey/testing/chance'
import { randomBytes, wordyBytes } from '@latchkey/testing/xet/making'
import { hashData } from '@latchkey/xet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { inPieces } from './counting-calls.ts'

const mebibyte = 1024 * 1024
/** More than one piece, and the last of them is short. */
const large = randomBytes('put', 9 * mebibyte + 77)

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

async function writer(): Promise<Caller> {
  return stage.caller(`write ${await stage.newRepository()}@main`)
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes)
const digestOf = (bytes: Uint8Array) => `sha-256=:${sha256Of(bytes).digest('base64')}:`

/** In parts of chance lengths, without a length. */
function streamOf(bytes: Uint8Array, seed = 1): ReadableStream<Uint8Array> {
  const { next } = chance(seed)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      const part = bytes.subarray(at, at + 1 + Math.floor(next() * 300_000))
      at += part.length
      controller.enqueue(part)
      if (at === bytes.length) controller.close()
    },
  })
}

test.each([
  ['no bytes', new Uint8Array(0)],
  ['one byte', Uint8Array.of(7)],
  ['words', wordyBytes('words', 300_000)],
  ['several pieces', large],
  ['one byte again and again', new Uint8Array(9 * mebibyte)],
])('a file of %s has the hash of every client, and comes back', async (_, bytes) => {
  const caller = await writer()
  const told = await caller.ask('PUT /v1/files', { body: new Uint8Array(bytes) })
  const hash = await hashData(inPieces(bytes))
  expect(told.json).toEqual({ hash, sha256: sha256Of(bytes).digest('hex'), size: bytes.length })
  expect(told.status).toBe(200)
  const read = await caller.ask(`GET /v1/files/${hash}`)
  expect(read.bytes.equals(bytes)).toBe(true)
  const found = `GET /v1/files/by-sha256/${told.json['sha256']}?size=${bytes.length}`
  expect((await caller.ask(found)).json['fileHash']).toBe(hash)
  expect(stage.drafts()).toEqual([])
})

test('a body without a length is stored alike', async () => {
  const caller = await writer()
  const told = await caller.ask('PUT /v1/files', { body: streamOf(large) })
  expect(told.json['hash']).toBe(await hashData(inPieces(large)))
})

test('what the token sees is not stored again, and what it does not see is', async () => {
  const caller = await writer()
  const put = async (by: Caller) => {
    await by.ask('PUT /v1/files', { body: randomBytes('seen', 300_000) })
    const [xorbs = 0] = await stage.rows()
    return xorbs
  }
  const before = (await stage.rows())[0] ?? 0
  const once = await put(caller)
  expect(once).toBeGreaterThan(before)
  expect(await put(caller)).toBe(once)
  expect(await put(await writer())).toBe(2 * once - before)
})

test('a file with another SHA-256 than announced is not registered', async () => {
  const caller = await writer()
  const body = new Uint8Array(wordyBytes('digest', 100_000))
  const put = (digest: string) =>
    caller.ask('PUT /v1/files', { body, headers: { 'repr-digest': digest } })
  const [, files] = await stage.rows()
  const wrong = await put(digestOf(large))
  expect([wrong.status, wrong.code]).toEqual([400, 'content_invalid'])
  for (const malformed of ['sha-256=abc', 'sha-256=:AAAA:', 'sha-256=::']) {
    expect((await put(malformed)).code).toBe('bad_request')
  }
  expect((await stage.rows())[1]).toBe(files)
  const right = await put(`md5=:AAAA:, ${digestOf(body)}`)
  expect([right.status, right.json['size']]).toEqual([200, body.length])
})

test('a token that may only read uploads nothing', async () => {
  const reader = await stage.caller(`read ${await stage.newRepository()}@main`)
  const told = await reader.ask('PUT /v1/files', { body: 'text' })
  expect([told.status, told.code]).toEqual([403, 'insufficient_scope'])
})

test.each(['gzip', 'identity, br'])(
  'a body with Content-Encoding: %s is refused',
  async (coding) => {
    const caller = await writer()
    const headers = { 'content-encoding': coding }
    const told = await caller.ask('PUT /v1/files', { body: 'packed', headers })
    expect([told.status, told.code]).toEqual([400, 'bad_request'])
    const plain = { body: 'packed', headers: { 'content-encoding': 'identity' } }
    expect((await caller.ask('PUT /v1/files', plain)).status).toBe(200)
  },
)
