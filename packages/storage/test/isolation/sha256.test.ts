/** A file is found by the SHA-256 of its bytes where its token sees it, and only if those are its bytes. */

import { truncateSync } from 'node:fs'
import { makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller, Told } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { bundledThreads } from '../threads/bundled-threads.ts'
import { bySha256, type Content, put, sha256Of } from './content.ts'

let stage: Stage
let repository: string
let owner: Caller
beforeAll(async () => {
  stage = await openStage({ openPool: bundledThreads })
  repository = await stage.newRepository()
  owner = await stage.caller(`write ${repository}@main`)
})
afterAll(() => stage.close())

const look = (caller: Caller, content: Content): Promise<Told> =>
  caller.ask(`GET ${bySha256(content)}`)

/** Registers content whose shard says this SHA-256. */
async function putClaiming(caller: Caller, content: Content, sha256: string): Promise<void> {
  const file = makeFile([{ xorb: content.xorb }], Buffer.from(sha256, 'hex'))
  await put(caller, { ...content, file })
}

/** Of this length, unlike any other of this file. */
function ofLength(seed: string, length: number): Content {
  const bytes = Buffer.concat(randomChunks(seed, 1, length))
  const xorb = makeXorb([bytes])
  const file = makeFile([{ xorb }])
  return { bytes, xorb, file, firstChunk: xorb.table.hash(0), sha256: sha256Of(bytes) }
}

describe('a claim', () => {
  // conformance: Embedded storage / A SHA-256 in a shard gives no access and no information
  test("to have the SHA-256 of another repository's file shows nothing and finds nothing", async () => {
    const secret = ofLength('secret', 4001)
    await putClaiming(owner, secret, secret.sha256)
    const other = await stage.newRepository()
    const attacker = await stage.caller(`write ${other}@main`)
    const decoy = ofLength('decoy', 4001)
    await putClaiming(attacker, decoy, secret.sha256)
    const told = await look(attacker, secret)
    expect([told.status, told.code]).toEqual([404, 'resource_not_found'])
    expect((await attacker.ask(`HEAD /v1/files/${secret.file.hash}`)).status).toBe(404)
    // It says what its file is, for all that was claimed.
    expect((await look(attacker, decoy)).json).toEqual({ fileHash: decoy.file.hash, size: 4001 })
    expect((await look(owner, secret)).json).toEqual({ fileHash: secret.file.hash, size: 4001 })
  })

  // conformance: Embedded storage / A SHA-256 in a shard gives no access and no information
  test('that is wrong blocks no right one, before it or behind it', async () => {
    const right = ofLength('right', 4002)
    const wrong = ['one', 'two'].map((seed) => ofLength(seed, 4002))
    const [before, behind] = wrong as [Content, Content]
    await putClaiming(owner, before, right.sha256)
    await putClaiming(owner, right, right.sha256)
    await putClaiming(owner, behind, right.sha256)
    expect((await look(owner, right)).json).toEqual({ fileHash: right.file.hash, size: 4002 })
    // Registered again with another claim, it is what it was.
    await putClaiming(owner, right, before.sha256)
    for (const content of [before, right, behind]) {
      expect((await look(owner, content)).json['fileHash']).toBe(content.file.hash)
    }
  })

  test('is checked without being asked for', async () => {
    const content = ofLength('checked', 4003)
    await putClaiming(owner, content, content.sha256)
    const known = () =>
      stage.maintenance.read((tables) =>
        tables
          .selectFrom('stored_files')
          .select('sha256')
          .where('hash', '=', content.file.hash)
          .execute(),
      )
    await expect.poll(known).toEqual([{ sha256: content.sha256 }])
  })
})

test('a file without a claim is found all the same, among others of its length', async () => {
  const contents = ['a', 'b', 'c', 'd'].map((seed) => ofLength(seed, 4004))
  for (const content of contents) await put(owner, content)
  const last = contents.at(-1) as Content
  expect((await look(owner, last)).json).toEqual({ fileHash: last.file.hash, size: 4004 })
  const absent = ofLength('absent', 4004)
  expect((await look(owner, absent)).status).toBe(404)
  const reader = await stage.caller(`read ${repository}@main`)
  for (const content of contents) {
    expect((await look(reader, content)).json['fileHash']).toBe(content.file.hash)
  }
})

test('another size is another file', async () => {
  const content = ofLength('sized', 4005)
  await put(owner, content)
  for (const size of [4004, 4006, 0]) {
    const call = `GET /v1/files/by-sha256/${content.sha256}?size=${size}`
    expect((await owner.ask(call)).status).toBe(404)
  }
  for (const query of [
    '',
    '?size=',
    '?size=-1',
    '?size=4e3',
    '?size=1&size=1',
    '?size=9'.repeat(9),
  ]) {
    const told = await owner.ask(`GET /v1/files/by-sha256/${content.sha256}${query}`)
    expect([told.status, told.code], query).toEqual([400, 'bad_request'])
  }
})

test('the empty file is there without an upload, and no other of no length', async () => {
  const empty = { sha256: sha256Of(Buffer.alloc(0)), bytes: Buffer.alloc(0) }
  const told = await owner.ask(`GET ${bySha256(empty)}`)
  expect(told.json).toEqual({ fileHash: '0'.repeat(64), size: 0 })
  expect((await owner.ask(`GET ${bySha256({ ...empty, sha256: 'a'.repeat(64) })}`)).status).toBe(
    404,
  )
})

// conformance: Embedded storage / A SHA-256 in a shard gives no access and no information
test('a fork finds what its origin had before it, and not what came later', async () => {
  const [before, after] = [ofLength('before', 4006), ofLength('after', 4006)]
  await putClaiming(owner, before, before.sha256)
  await stage.newBranch(repository, 'fork', 'main')
  await putClaiming(owner, after, after.sha256)
  const fork = await stage.caller(`read ${repository}@fork`)
  expect((await look(fork, before)).status).toBe(200)
  expect((await look(fork, after)).status).toBe(404)
  expect((await look(owner, after)).status).toBe(200)
})

test('what is registered again where it is seen is found there, also when the origin is gone', async () => {
  const content = ofLength('kept', 4007)
  const own = await stage.newRepository()
  const main = await stage.caller(`write ${own}@main`)
  await putClaiming(main, content, content.sha256)
  expect((await look(main, content)).status).toBe(200)
  await stage.newBranch(own, 'fork', 'main')
  const fork = await stage.caller(`write ${own}@fork`)
  const file = makeFile([{ xorb: content.xorb }], Buffer.from(content.sha256, 'hex'))
  expect((await fork.register([file])).json).toEqual({ result: 1 })
  await stage.world.done('ref delete', { repository: own, ref: 'main' })
  expect((await look(fork, content)).json['fileHash']).toBe(content.file.hash)
})

test('a file whose bytes are damaged is not found, is told in the log, and blocks no other', async () => {
  const [damaged, whole] = [ofLength('damaged', 4008), ofLength('whole', 4008)]
  const before = new Set(stage.objects())
  await put(owner, damaged)
  const [name = ''] = stage.objects().filter((object) => !before.has(object))
  truncateSync(stage.objectFile(name), 100)
  await put(owner, whole)
  expect((await look(owner, whole)).json['fileHash']).toBe(whole.file.hash)
  expect((await look(owner, damaged)).status).toBe(404)
  const told = stage.lines.filter((line) => line.includes('content_unreadable'))
  expect(told.length).toBeGreaterThan(0)
  expect(told[0]).toContain(damaged.file.hash)
})

test('a file of many pieces is hashed as a whole', async () => {
  const xorbs = ['p', 'q'].map((seed) => makeXorb(randomChunks(seed, 40, 60_000)))
  const [one, two] = xorbs as [(typeof xorbs)[0], (typeof xorbs)[0]]
  const runs = [{ xorb: one, start: 3 }, { xorb: two }, { xorb: one, end: 7 }]
  const parts = [randomChunks('p', 40, 60_000), randomChunks('q', 40, 60_000)] as const
  const bytes = Buffer.concat([...parts[0].slice(3), ...parts[1], ...parts[0].slice(0, 7)])
  for (const xorb of xorbs) expect((await owner.upload(xorb)).status).toBe(200)
  const file = makeFile(runs)
  expect((await owner.register([file])).status).toBe(200)
  const told = await owner.ask(`GET ${bySha256({ bytes, sha256: sha256Of(bytes) })}`)
  expect(told.json).toEqual({ fileHash: file.hash, size: bytes.length })
})
