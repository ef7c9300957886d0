/** A repository holds what its quota allows, counted as if nothing were shared, and not one xorb or file more. */

import { dial, head } from '@latchkey/testing/http/raw-line'
import { makeFile } from '@latchkey/testing/xet/making'
import { afterEach, expect, test } from 'vitest'
import type { StorageSettings } from '../../src/index.ts'
import type { Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const [one, two, three] = [contentOf('one'), contentOf('two'), contentOf('three')] as const
const size = one.xorb.bytes.length
/** What a file counts, which has one term. */
const fileSize = 44

let stage: Stage | undefined
afterEach(() => stage?.close())

async function open(quota: StorageSettings['quota']) {
  stage = await openStage({ settings: { quota } })
  const repository = await stage.newRepository()
  await stage.newBranch(repository, 'apart')
  const writer = await stage.caller(`write ${repository}@main`)
  return { stage, repository, writer }
}

async function expectRefused(told: Awaited<ReturnType<Caller['upload']>>, from: Stage) {
  expect([told.status, told.code]).toEqual([413, 'quota_exceeded'])
  expect(from.drafts()).toEqual([])
}

test.each([
  ['bytes', { bytes: 2 * size + fileSize, objects: undefined }],
  ['objects', { bytes: undefined, objects: 3 }],
])('more %s than the quota are a 413, and nothing is stored', async (_, quota) => {
  const { stage, repository, writer } = await open(quota)
  await put(writer, one)
  expect((await writer.upload(two.xorb)).status).toBe(200)
  const before = [await stage.rows(), stage.objects()]
  await expectRefused(await writer.upload(three.xorb), stage)
  // Without a length nobody knows before it is there.
  const body = ReadableStream.from([new Uint8Array(three.xorb.bytes)])
  const call = `POST /v1/xorbs/default/${three.xorb.hash}`
  await expectRefused(await writer.ask(call, { body: body as ReadableStream<Uint8Array> }), stage)
  // Also what another ref of the repository has already.
  const apart = await stage.caller(`write ${repository}@apart`)
  await expectRefused(await apart.upload(one.xorb), stage)
  expect([await stage.rows(), stage.objects()]).toEqual(before)
})

test.each([
  ['bytes', { bytes: size + 5 * fileSize, objects: undefined }],
  ['objects', { bytes: undefined, objects: 6 }],
])(
  'the %s of many files of one xorb count, and of a shard with too many none is registered',
  async (_, quota) => {
    const { stage, writer } = await open(quota)
    expect((await writer.upload(one.xorb)).status).toBe(200)
    const before = await stage.rows()
    const { xorb } = one
    const runs = [0, 1, 2].flatMap((start) =>
      [1, 2, 3].filter((end) => end > start).map((end) => makeFile([{ xorb, start, end }])),
    )
    expect(runs).toHaveLength(6)
    await expectRefused(await writer.register(runs), stage)
    expect(await stage.rows()).toEqual(before)
    expect((await writer.register(runs.slice(1))).json).toEqual({ result: 1 })
    await expectRefused(await writer.register(runs.slice(0, 1)), stage)
  },
)

test('a fork that takes its origin’s xorbs over is counted, too', async () => {
  const { stage, repository, writer } = await open({ bytes: size + fileSize, objects: undefined })
  await put(writer, one)
  stage.world.passSeconds(1)
  await stage.newBranch(repository, 'fork', 'main')
  const fork = await stage.caller(`write ${repository}@fork`)
  await expectRefused(await fork.register([one.file]), stage)
  expect(await fork.download(one.file.hash)).toEqual(one.bytes)
})

test('what would be too much is refused before it is sent', async () => {
  const { stage, writer } = await open({ bytes: size, objects: undefined })
  const line = await dial(stage.url)
  const path = `${new URL(writer.url).pathname}/v1/xorbs/default/${two.xorb.hash}`
  const said = [`Content-Length: ${size + 1}`, 'Expect: 100-continue']
  line.say(head(`POST ${path}`, said, { authorization: `Bearer ${writer.token}` }))
  expect(await line.hears(/\}$/)).toMatch(/^HTTP\/1\.1 413 [\s\S]*quota_exceeded/)
})

test('what the ref has already can be sent again, however full it is', async () => {
  const { writer } = await open({ bytes: size + fileSize, objects: 2 })
  await put(writer, one)
  expect((await writer.upload(one.xorb)).json).toEqual({ was_inserted: false })
  expect((await writer.register([one.file], [one.xorb])).json).toEqual({ result: 0 })
})

test('what is deleted makes room', async () => {
  const { stage, repository, writer } = await open({ bytes: undefined, objects: 2 })
  await put(writer, one)
  const apart = await stage.caller(`write ${repository}@apart`)
  await expectRefused(await apart.upload(two.xorb), stage)
  await stage.world.done('ref delete', { repository, ref: 'main' })
  expect((await apart.upload(two.xorb)).status).toBe(200)
})

// conformance: Attacks / 27. An attacker sends too much data, or the disk is full
test('another repository has a quota of its own', async () => {
  const { stage, writer } = await open({ bytes: size + fileSize, objects: 2 })
  await put(writer, one)
  const other = await stage.caller(`write ${await stage.newRepository()}@main`)
  await put(other, one)
})
