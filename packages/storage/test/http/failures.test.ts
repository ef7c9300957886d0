/** When the disk or the database fails: the one who asked is told, nothing stays, and the next one is served. */

import { open, rm, truncate } from 'node:fs/promises'
import { withBrokenDatabase } from '@latchkey/testing/hub/statements'
import { workHere } from '@latchkey/testing/machine/work-here'
import { makeShard } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { bodyOf, type Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

let stage: Stage
let writer: Caller
beforeAll(async () => {
  // On threads nothing here could be broken.
  stage = await openStage({ openPool: workHere })
})
afterAll(() => stage.close())
beforeEach(async () => {
  writer = await stage.caller(`write ${await stage.newRepository()}@main`)
})

const content = contentOf('on a bad day')
const shard = bodyOf(makeShard({ files: [content.file], xorbs: [content.xorb] }))

/** Every file that is written to from now on says that there is no room. */
async function fillDisk(): Promise<void> {
  const handle = await open(import.meta.filename)
  const holder = Object.getPrototypeOf(handle)
  await handle.close()
  const { write } = holder
  holder.write = async () => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  onTestFinished(() => {
    holder.write = write
  })
}

/** As the database says it. */
const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })

// conformance: Attacks / 27. An attacker sends too much data, or the disk is full
test('a full disk is a 507 for who writes, and nothing for who reads', async () => {
  await put(writer, content)
  await fillDisk()
  const other = contentOf('too much')
  const calls = [`POST /v1/xorbs/default/${other.xorb.hash}`, 'POST /v1/shards', 'POST /v2/shards']
  for (const call of calls) {
    const told = await writer.ask(call, { body: bodyOf(other.xorb.bytes) })
    expect([told.status, told.code], call).toEqual([507, 'storage_full'])
  }
  expect(stage.drafts()).toEqual([])
  expect(await writer.download(content.file.hash)).toEqual(content.bytes)
})

test('a full disk under the database is a 507, or the last line of what is told', async () => {
  const nothing = bodyOf(makeShard({ files: [] }))
  const ask = (call: string) => withBrokenDatabase(full, () => writer.ask(call, { body: nothing }))
  const told = await ask('POST /v1/shards')
  expect([told.status, told.code]).toEqual([507, 'storage_full'])
  const events = await ask('POST /v2/shards')
  const last = JSON.parse(events.text.trim().split('\n').at(-1) ?? '')
  expect([events.status, last]).toEqual([200, { type: 'error', message: told.json['detail'] }])
  expect(stage.drafts()).toEqual([])
})

test('a database that fails is a 500 that tells nothing of why', async () => {
  await put(writer, content)
  const calls = [
    `GET /v1/xorbs/default/${content.xorb.hash}`,
    `GET /v2/reconstructions/${content.file.hash}`,
    `GET /v1/chunks/default/${content.firstChunk}`,
  ]
  for (const call of calls) {
    const told = await withBrokenDatabase('the secret reason', () => writer.ask(call))
    expect([told.status, told.code], call).toEqual([500, 'internal_error'])
    expect(told.text).not.toContain('secret')
    expect(stage.lines.some((line) => line.includes('the secret reason'))).toBe(true)
  }
  expect(await writer.download(content.file.hash)).toEqual(content.bytes)
})

test('a shard that was being told of when the database failed is never told to its end', async () => {
  await writer.upload(content.xorb)
  const asked = withBrokenDatabase('broken', () => writer.ask('POST /v2/shards', { body: shard }))
  await expect(asked).rejects.toThrow()
  await expect.poll(() => stage.drafts()).toEqual([])
  expect((await writer.ask('POST /v1/shards', { body: shard })).json).toEqual({ result: 1 })
})

test('an object that is lost is no answer that looks whole', async () => {
  const lost = contentOf('that gets lost')
  const before = new Set(stage.objects())
  await put(writer, lost)
  const [key = ''] = stage.objects().filter((name) => !before.has(name))
  await rm(stage.objectFile(key))
  const read = await writer.ask(`GET /v1/xorbs/default/${lost.xorb.hash}`)
  expect([read.status, read.code]).toEqual([500, 'internal_error'])
  // Nothing is opened for it, so that nothing can fail where nobody listens.
  expect((await writer.ask(`HEAD /v1/xorbs/default/${lost.xorb.hash}`)).status).toBe(200)
  // Nothing is built on it, and whoever asks for its chunks is not told of it.
  expect((await writer.register([lost.file])).code).toBe('content_invalid')
  const asked = await writer.ask(`GET /v1/chunks/default/${lost.firstChunk}`)
  expect(asked.code).toBe('resource_not_found')
  // And here it is again.
  expect((await writer.upload(lost.xorb)).json).toEqual({ was_inserted: false })
  expect(await writer.download(lost.file.hash)).toEqual(lost.bytes)
})

test('an object whose chunk table is lost is not built on, and mended by who brings it again', async () => {
  const lost = contentOf('whose table gets lost')
  const before = new Set(stage.objects())
  await put(writer, lost)
  const [key = ''] = stage.objects().filter((name) => !before.has(name))
  await truncate(stage.objectFile(key), lost.xorb.bytes.length)
  const refused = await writer.register([lost.file])
  expect([refused.status, refused.code]).toEqual([400, 'content_invalid'])
  const asked = await writer.ask(`GET /v1/chunks/default/${lost.firstChunk}`)
  expect([asked.status, asked.code]).toEqual([404, 'resource_not_found'])
  expect((await writer.upload(lost.xorb)).json).toEqual({ was_inserted: false })
  expect((await writer.register([lost.file])).status).toBe(200)
  expect(await writer.download(lost.file.hash)).toEqual(lost.bytes)
})
