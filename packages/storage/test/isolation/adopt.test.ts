/** A ref is given files that its caller may read elsewhere in the repository: as if they had been uploaded, and nothing else. */

import { setTimeout as delay } from 'node:timers/promises'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { openRevokedStage } from '../revoked/revoked-stage.ts'
import { type Taking, takings } from '../revoked/takings.ts'
import { openStage, type Stage } from '../stage.ts'
import { adopt, adoptHashes } from './adopting.ts'
import { bySha256, contentOf, everything, lookFor, nothing, put } from './content.ts'

let stage: Stage
let repository: string
/** Two branches that see nothing of each other. */
let main: Caller
let apart: Caller
const content = contentOf('to be adopted')
const further = contentOf('to be adopted, too')
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

async function openBranches(): Promise<void> {
  repository = await stage.newRepository()
  await stage.newBranch(repository, 'apart')
  main = await stage.caller(`write ${repository}@main`)
  apart = await stage.caller(`write ${repository}@apart`)
}

describe('nothing is adopted', () => {
  beforeAll(openBranches)

  // conformance: Embedded storage / A ref copies readable content from other refs completely or not at all
  test('that no token of the request sees, and hidden is as absent', async () => {
    const own = contentOf('own')
    await put(main, own)
    await put(apart, content)
    const before = await stage.rows()
    const absent = contentOf('absent')
    for (const missing of [content, absent]) {
      const told = await adopt(main, [own, missing])
      expect([told.status, told.code]).toEqual([404, 'resource_not_found'])
      expect(told.json['detail']).toContain(missing.file.hash)
    }
    const some = await adopt(main, [content, absent, own], [apart])
    expect([some.status, some.json['detail']]).toEqual([
      404,
      expect.stringContaining(absent.file.hash),
    ])
    expect(await stage.rows()).toEqual(before)
    expect(await lookFor(main, content)).toEqual(nothing(content))
  })

  test('with a token for reading', async () => {
    const reader = await stage.caller(`read ${repository}@main`)
    const told = await adopt(reader, [content], [apart])
    expect([told.status, told.code]).toEqual([403, 'insufficient_scope'])
  })

  // conformance: Embedded storage / A ref copies readable content from other refs completely or not at all
  test('through a token of another repository', async () => {
    const other = await stage.caller(`write ${await stage.newRepository()}@main`)
    const secret = contentOf('of another repository')
    await put(other, secret)
    const told = await adopt(main, [secret], [other])
    expect([told.status, told.code]).toEqual([403, 'repository_mismatch'])
    expect(await lookFor(main, secret)).toEqual(nothing(secret))
  })

  test('through what is no token, or is over', async () => {
    for (const token of ['', 'x', 'a b', `${apart.token.slice(0, -4)}AAAA`, 'x'.repeat(9000)]) {
      const told = await adoptHashes(main, [content.file.hash], [token])
      expect([told.status, told.code]).toEqual([401, 'storage_token_invalid'])
    }
    stage.world.passSeconds(900 + 31)
    main = await stage.caller(`write ${repository}@main`)
    const told = await adopt(main, [content], [apart])
    expect([told.status, told.code]).toEqual([401, 'storage_token_invalid'])
  })

  test('through a commit that is older than the file', async () => {
    const hash = commit('e')
    await stage.world.done('commit record', { repository, hash, on: ['apart'] })
    const late = contentOf('after the commit')
    await put(await stage.caller(`write ${repository}@apart`), late)
    const old = await stage.caller(`read ${repository}@${hash}`)
    expect((await adopt(main, [late], [old])).status).toBe(404)
    expect((await adopt(main, [content], [old])).json).toEqual({ result: 1 })
  })

  test('by a request that asks for too much, or for nothing', async () => {
    const hashes = Array.from({ length: 1001 }, (_, at) => at.toString(16).padStart(64, '0'))
    const bodies = [
      ...['', '[]', 'null', '{', '{"files":[]}', '{"files":"x"}', '{"files":["x"]}'],
      JSON.stringify({ files: hashes }),
      JSON.stringify({ files: [content.file.hash], through: 'x' }),
      JSON.stringify({ files: [content.file.hash], through: hashes.slice(0, 9) }),
    ]
    for (const body of bodies) {
      const told = await main.ask('POST /v1/shards/adopt', { body })
      expect([told.status, told.code], body.slice(0, 40)).toEqual([400, 'bad_request'])
    }
    const told = await main.ask('POST /v1/shards/adopt', { body: ' '.repeat(256 * 1024 + 1) })
    expect(told.status).toBe(413)
  })

  test('into a ref that is gone', async () => {
    await stage.newBranch(repository, 'short')
    const short = await stage.caller(`write ${repository}@short`)
    await stage.world.done('ref delete', { repository, ref: 'short' })
    const told = await adopt(short, [content], [main])
    expect([told.status, told.code]).toEqual([404, 'not_found'])
  })
})

describe('what is adopted', () => {
  beforeAll(openBranches)

  // conformance: Embedded storage / A ref copies readable content from other refs completely or not at all
  test('is there as if it had been uploaded, and stays when its origin is gone', async () => {
    for (const one of [content, further]) await put(apart, one)
    expect((await apart.ask(`GET ${bySha256(content)}`)).status).toBe(200)
    const reader = await stage.caller(`read ${repository}@apart`)
    const before = await stage.rows()
    expect((await adopt(main, [content, further], [reader])).json).toEqual({ result: 1 })
    const after = await stage.rows()
    expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([2, 2, 2])
    const told = await main.ask(`HEAD /v1/files/${content.file.hash}`)
    expect(told.headers.get('x-latchkey-registered')).toBe('own')
    await stage.world.done('ref delete', { repository, ref: 'apart' })
    for (const one of [content, further]) {
      expect(await lookFor(main, one)).toEqual(everything(one))
      expect(await main.download(one.file.hash)).toEqual(one.bytes)
    }
  })

  test('is adopted again without a change', async () => {
    const before = await stage.rows()
    expect((await adopt(main, [content, further, content])).json).toEqual({ result: 0 })
    expect(await stage.rows()).toEqual(before)
  })

  test('of what a fork inherits needs no other token', async () => {
    await stage.newBranch(repository, 'fork', 'main')
    const fork = await stage.caller(`write ${repository}@fork`)
    expect((await adopt(fork, [content])).json).toEqual({ result: 1 })
    await stage.world.done('ref delete', { repository, ref: 'main' })
    expect(await fork.download(content.file.hash)).toEqual(content.bytes)
    expect(await lookFor(fork, further)).toEqual(nothing(further))
  })

  test('is inherited by what is made from the ref afterwards, not by what was made before', async () => {
    await openBranches()
    await put(apart, content)
    await stage.newBranch(repository, 'earlier', 'main')
    expect((await adopt(main, [content], [apart])).json).toEqual({ result: 1 })
    await stage.newBranch(repository, 'later', 'main')
    const [earlier, later] = await Promise.all(
      ['earlier', 'later'].map((ref) => stage.caller(`read ${repository}@${ref}`)),
    )
    expect(await lookFor(later as Caller, content)).toEqual(everything(content))
    expect(await lookFor(earlier as Caller, content)).toEqual(nothing(content))
  })

  test('may be the empty file, which nobody has uploaded', async () => {
    const empty = '0'.repeat(64)
    expect((await adoptHashes(main, [empty])).json).toEqual({ result: 1 })
    expect(await main.download(empty)).toEqual(Buffer.alloc(0))
  })
})

describe('a storage with limits', () => {
  const contents = ['1', '2', '3', '4'].map((seed) => contentOf(`limited ${seed}`))
  const [first] = contents
  // A branch with all of them, and three once more.
  const quota = { bytes: 7.5 * (first?.xorb.table.packedBytes ?? 0), objects: undefined }
  const shardCaps = { files: 8192, xorbs: 3, terms: 3, chunks: 2_097_152 }
  let limited: Stage
  let to: Caller
  let from: Caller
  beforeAll(async () => {
    limited = await openStage({ settings: { quota, shardCaps } })
    const own = await limited.newRepository()
    await limited.newBranch(own, 'apart')
    to = await limited.caller(`write ${own}@main`)
    from = await limited.caller(`write ${own}@apart`)
    for (const content of contents) await put(from, content)
  })
  afterAll(() => limited.close())

  test('adopts no more pieces at once than a shard may have', async () => {
    const told = await adopt(to, contents, [from])
    expect([told.status, told.code]).toEqual([400, 'content_invalid'])
    expect((await to.ask(`HEAD /v1/files/${first?.file.hash}`)).status).toBe(404)
  })

  test('counts what is adopted, and nothing of it stays beyond the quota', async () => {
    const more = contentOf('limited, and more')
    await put(to, more)
    const told = await adopt(to, contents.slice(0, 3), [from])
    expect([told.status, told.code]).toEqual([413, 'quota_exceeded'])
    expect((await to.ask(`HEAD /v1/files/${first?.file.hash}`)).status).toBe(404)
    expect((await adopt(to, contents.slice(0, 2), [from])).json).toEqual({ result: 1 })
  })
})

test('isolation "repository" needs no other token, and opens no other repository', async () => {
  const open = await openStage({ settings: { isolation: 'repository' } })
  onTestFinished(() => open.close())
  const own = await open.newRepository()
  await open.newBranch(own, 'apart')
  await put(await open.caller(`write ${own}@apart`), content)
  const to = await open.caller(`write ${own}@main`)
  expect(await lookFor(to, content)).toEqual(everything(content))
  expect((await adopt(to, [content])).json).toEqual({ result: 1 })
  await open.world.done('ref delete', { repository: own, ref: 'apart' })
  expect(await to.download(content.file.hash)).toEqual(content.bytes)
  const other = await open.caller(`write ${await open.newRepository()}@main`)
  expect((await adopt(other, [content], [to])).code).toBe('repository_mismatch')
  expect((await adopt(other, [content])).status).toBe(404)
})

// conformance: Embedded storage / A ref copies readable content from other refs completely or not at all
test('nothing is given through a token that was taken back, nor by one, however late the storage hears of it', async () => {
  const revoked = await openRevokedStage()
  onTestFinished(() => revoked.close())
  const taken = await revoked.newTaken()
  await revoked.newBranch(taken.repository, 'apart')
  const [to, from] = [await revoked.other(taken, 'main'), await revoked.other(taken, 'apart')]
  await put(from, content)
  const [through, writing] = [
    await revoked.victim(taken, 'apart'),
    await revoked.victim(taken, 'main'),
  ]
  const before = await revoked.rows()
  // The storage hears of it when the requests are under way, from the answer that they wait for.
  const release = revoked.relayed.hold()
  await revoked.takeQuietly(takings['whose hub token was revoked'] as Taking, taken)
  await revoked.relayed.relay()
  const asked = [adopt(to, [content], [through]), adopt(writing, [content], [from])]
  await delay(100)
  release()
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 401])
  expect(await revoked.rows()).toEqual(before)
  expect((await adopt(to, [content], [from])).json).toEqual({ result: 1 })
})
