/** Work that takes long is done on threads: other requests go on beside it, whatever becomes of it. */

import { dial, head } from '@latchkey/testing/http/raw-line'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { expect, onTestFinished, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'
import { type Spoil, spoilTasks } from '../threads/spoil-tasks.ts'

const [stored, fresh] = [contentOf('stored'), contentOf('fresh')] as const

/** A shard that is beyond the bounds of a small one, by its runs. */
const xorb = makeXorb(randomChunks('of a large shard', 4, 8))
const largeFile = makeFile(
  Array.from({ length: 2049 }, (_, index) => ({ xorb, start: index % 4, end: (index % 4) + 1 })),
)
const largeShard = makeShard({ files: [largeFile] })

async function open(...spoil: readonly Spoil[]) {
  const stage = await openStage({ openPool: spoilTasks(...spoil) })
  onTestFinished(() => stage.close())
  const [one, other] = [await stage.newRepository(), await stage.newRepository()]
  await stage.world.done('member set', { namespace: 'acme', account: 'rival', role: 'write' })
  const writer = await stage.caller(`write ${one}@main`)
  const rival = await stage.caller(`write ${other}@main`, 'rival/write')
  await writer.upload(xorb)
  return { stage, writer, rival }
}

/** Sends a shard and hears that its check has begun. */
async function beginCheck(stage: Stage, { url, token }: Caller) {
  const line = await dial(stage.url)
  const target = `POST ${new URL(url).pathname}/v2/shards`
  const said = [`Content-Length: ${largeShard.length}`]
  line.say(head(target, said, { authorization: `Bearer ${token}` }), largeShard)
  await line.hears('validating')
  return line
}

const large = { work: '/shard-work.ts', where: { size: 'large' } } as const

/** Everything that a client does with content, but for shards. */
async function expectReads({ ask, download }: Caller): Promise<void> {
  expect(await download(stored.file.hash)).toEqual(stored.bytes)
  const listed = await ask(`GET /v1/reconstructions?file_id=${stored.file.hash}`)
  expect(listed.status).toBe(200)
  expect((await ask(`GET /v1/chunks/default/${stored.firstChunk}`)).status).toBe(200)
}

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('a thread that never comes back from a shard stops nothing but shards', async () => {
  const { stage, writer, rival } = await open({ ...large, how: 'stuck' })
  await put(rival, stored)
  await beginCheck(stage, writer)
  expect((await rival.upload(fresh.xorb)).json).toEqual({ was_inserted: true })
  await expectReads(rival)
})

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('small shards of others are checked and registered while a large one is under way', async () => {
  const { stage, writer, rival } = await open({ ...large, how: 'waiting' })
  const line = await beginCheck(stage, writer)
  await put(rival, stored)
  await expectReads(rival)
  expect(line.isOver()).toBe(false)
})

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('threads that never come back from large reconstructions do not stop small ones, or shards', async () => {
  const { writer, rival } = await open({
    work: '/plan-work.ts',
    where: { maxTerms: Number.POSITIVE_INFINITY },
    how: 'stuck',
  })
  expect((await writer.ask('POST /v1/shards', { body: new Uint8Array(largeShard) })).json).toEqual({
    result: 1,
  })
  const asked = writer.ask(`GET /v1/reconstructions/${largeFile.hash}`).catch(() => 'cut')
  const first = await Promise.race([asked, put(rival, stored)])
  expect(first).not.toBe('cut')
  expect(await rival.download(stored.file.hash)).toEqual(stored.bytes)
})

test('a shard is given up when its client disconnects, and the next one of its account is checked', async () => {
  const { stage, writer } = await open({ ...large, how: 'waiting' })
  const line = await beginCheck(stage, writer)
  expect(stage.drafts()).toHaveLength(1)
  line.socket.destroy()
  await expect.poll(() => stage.drafts()).toEqual([])
  const next = await beginCheck(stage, writer)
  next.socket.destroy()
})

test('a shard whose thread dies is told so and leaves nothing; the next one gets another thread', async () => {
  const { stage, writer } = await open({ ...large, how: 'dying' })
  const told = await writer.ask('POST /v1/shards', { body: new Uint8Array(largeShard) })
  expect([told.status, told.code]).toEqual([500, 'internal_error'])
  expect(stage.drafts()).toEqual([])
  await put(writer, stored)
})

test('a reconstruction whose thread dies is told so; the next one gets another thread', async () => {
  const { writer } = await open({ work: '/plan-work.ts', where: { form: 'v1' }, how: 'dying' })
  await put(writer, stored)
  const told = await writer.ask(`GET /v1/reconstructions/${stored.file.hash}`)
  expect([told.status, told.code]).toEqual([500, 'internal_error'])
  expect(await writer.download(stored.file.hash)).toEqual(stored.bytes)
})

test('a storage that is told to stop while a thread never comes back stops, and leaves no draft', async () => {
  const { stage, writer } = await open({ ...large, how: 'stuck' })
  await beginCheck(stage, writer)
  await stage.storage.stop()
  await expect.poll(() => stage.drafts()).toEqual([])
})

test('a large shard tells its client how far it is, and never less than before', async () => {
  const { writer } = await open()
  const files = Array.from({ length: 700 }, () => makeFile([{ xorb, start: 0, end: 1 }]))
  const body = new Uint8Array(makeShard({ files }))
  const { text } = await writer.ask('POST /v2/shards', { body })
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.at(-1)).toEqual({ type: 'result', result: 1 })
  const verified = events.flatMap((event) => event.verified ?? [])
  expect(verified).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 700])
})
