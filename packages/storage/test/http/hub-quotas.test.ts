/** Uploads beyond a quota of the hub are refused like those beyond a quota of the storage, until it is raised. */

import { afterEach, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const [one, two, three] = [contentOf('one'), contentOf('two'), contentOf('three')] as const
const size = one.xorb.bytes.length
/** What a file counts, which has one term. */
const fileSize = 44
const acme = { namespace: 'acme' }

let stage: Stage | undefined
afterEach(() => stage?.close())

async function open() {
  stage = await openStage()
  const repositories = [await stage.newRepository(), await stage.newRepository()] as const
  const [writer, apart] = [
    await stage.caller(`write ${repositories[0]}@main`),
    await stage.caller(`write ${repositories[1]}@main`),
  ]
  return { stage, done: stage.world.done, repositories, writer, apart }
}

async function expectRefused(told: Awaited<ReturnType<Caller['upload']>>, from: Stage) {
  expect([told.status, told.code]).toEqual([413, 'quota_exceeded'])
  expect(from.drafts()).toEqual([])
}

test('more than the quota of a repository is a 413, with the same storage token as before', async () => {
  const { stage, done, repositories, writer, apart } = await open()
  await put(writer, one)
  await done('repo set', { repository: repositories[0], quota: String(2 * size + fileSize) })
  expect((await writer.upload(two.xorb)).status).toBe(200)
  await expectRefused(await writer.upload(three.xorb), stage)
  await expectRefused(await writer.register([two.file], [two.xorb]), stage)
  expect((await apart.upload(three.xorb)).status).toBe(200)
  await done('repo set', { repository: repositories[0], quota: '1MB' })
  expect((await writer.upload(three.xorb)).status).toBe(200)
})

test('more than the quota of a namespace is a 413 in each of its repositories', async () => {
  const { stage, done, repositories, writer, apart } = await open()
  await done('namespace set', { ...acme, quota: String(2 * size + fileSize) })
  await put(writer, one)
  expect((await apart.upload(two.xorb)).status).toBe(200)
  const before = [await stage.rows(), stage.objects()]
  for (const caller of [writer, apart]) await expectRefused(await caller.upload(three.xorb), stage)
  const whole = await writer.ask('PUT /v1/files', { body: three.bytes })
  await expectRefused(whole, stage)
  expect([await stage.rows(), stage.objects()]).toEqual(before)
  expect(await writer.download(one.file.hash)).toEqual(one.bytes)
  await done('repo delete', { repository: repositories[0] })
  expect((await apart.upload(three.xorb)).status).toBe(200)
  await done('namespace set', { ...acme, quota: 'none' })
  expect((await apart.upload(one.xorb)).status).toBe(200)
})

test('a storage that starts later learns the quotas that there are', async () => {
  stage = await openStage({
    people: {
      accounts: [{ name: 'writer' }],
      namespaces: [{ name: 'acme', members: { writer: 'write' }, quota: String(size) }],
      repositories: [{ type: 'model', id: 'acme/older', branches: { main: 'a'.repeat(40) } }],
      hubTokens: [{ account: 'writer', name: 'write', kind: 'write' }],
    },
  })
  const writer = await stage.caller('write models/acme/older@main')
  expect((await writer.upload(one.xorb)).status).toBe(200)
  await expectRefused(await writer.upload(two.xorb), stage)
})
