/** A storage with its content in a bucket: what it asks of the store, and what its clients notice when the store fails. */

import { globSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import {
  type Fault,
  type FaultProxy,
  type StoreRequest,
  startFaultProxy,
} from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, startVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { S3Place } from '../../src/objects/object-store.ts'
import { bodyOf, type Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const hasNoStore = isVersitygwMissing('a storage in front of a bucket is not tested')
const folder = sharedFolder()

describe.skipIf(hasNoStore)('a storage in front of a bucket', () => {
  let store: LocalS3Store
  let proxy: FaultProxy
  let local: ReturnType<LocalS3Store['newPlace']>
  let place: S3Place
  let stage: Stage
  let repository: string
  let writer: Caller
  beforeAll(async () => {
    store = await startVersitygw()
    proxy = await startFaultProxy(store.port)
    local = store.newPlace()
    place = { ...local, endpoint: proxy.endpoint, scratch: `${folder}/scratch` }
    const operations = { port: undefined, host: '127.0.0.1' }
    stage = await openStage({ settings: { objects: place, operations } })
  })
  afterAll(async () => {
    await proxy?.mend()
    await stage?.close()
    await proxy?.close()
    await store?.kill()
  })
  beforeEach(async () => {
    await proxy.mend()
    repository = await stage.newRepository()
    writer = await stage.caller(`write ${repository}@main`)
  })

  /**
   * What the store is asked until the client has its answer. Requests that run side by side come in any order. Objects
   * that no digest leads to go after an answer: until there are `count` left.
   */
  async function requestsDuring(
    count: number,
    work: () => Promise<unknown>,
  ): Promise<readonly string[]> {
    const stored = () => ['objects', 'tables'].map((kind) => filesOf(kind).length)
    await expect.poll(stored).toEqual([count, count])
    await expect.poll(() => proxy.requests.every(({ status }) => status !== undefined)).toBe(true)
    proxy.forget()
    await work()
    // A deletion begins with the answer.
    const asked = proxy.requests.filter(({ kind }) => !['delete', 'list'].includes(kind))
    const lines = asked.map(({ kind, key, sentBytes }) =>
      [kind, key.slice(place.prefix.length).split('/')[0], sentBytes].join(' '),
    )
    return lines.sort()
  }

  // conformance: Guarantees / No file operation shows that another repository has the same bytes
  // conformance: Attacks / 25. An attacker uses deduplication to detect content of others
  test('asks the same of the store for new bytes and for bytes that others have', async () => {
    const [near, far] = [contentOf('near'), contentOf('far')]
    await stage.newBranch(repository, 'apart')
    await put(await stage.caller(`write ${repository}@apart`), near)
    const other = await stage.newRepository()
    await put(await stage.caller(`write ${other}@main`), far)
    const uploads: (readonly string[])[] = []
    const shards: (readonly string[])[] = []
    const stored = filesOf('objects').length
    for (const content of [contentOf('new'), near, far]) {
      const count = stored + Math.min(1, uploads.length)
      uploads.push(await requestsDuring(count, () => writer.upload(content.xorb)))
      shards.push(await requestsDuring(stored + 1, () => writer.register([content.file])))
    }
    expect(uploads[0]).toEqual([
      ...['head objects 0', 'head objects 0'],
      expect.stringMatching(/^put objects \d+$/),
      expect.stringMatching(/^put tables \d+$/),
    ])
    expect(uploads).toEqual(Array(3).fill(uploads[0]))
    expect(shards).toEqual(Array(3).fill(shards[0]))
    const stranger = await stage.caller(`read ${await stage.newRepository()}@main`)
    for (const { xorb, file, firstChunk } of [contentOf('absent'), near, far]) {
      const calls = [
        `xorbs/default/${xorb.hash}`,
        `files/${file.hash}`,
        `chunks/default/${firstChunk}`,
      ]
      const asked = requestsDuring(stored + 1, () =>
        Promise.all(calls.map((call) => stranger.ask(`GET /v1/${call}`))),
      )
      expect(await asked).toEqual([])
    }
  })

  test('answers 503 with a time to wait while the store is away, and serves again after that', async () => {
    const content = contentOf('before the failure')
    await put(writer, content)
    await proxy.refuse()
    const readyz = async () => {
      const response = await fetch(`${stage.url}/readyz`)
      return { status: response.status, text: await response.text() }
    }
    const other = contentOf('during the failure')
    const [uploaded, read, ready] = await Promise.all([
      writer.ask(`POST /v1/xorbs/default/${other.xorb.hash}`, { body: bodyOf(other.xorb.bytes) }),
      writer.ask(`GET /v1/xorbs/default/${content.xorb.hash}`),
      readyz(),
    ])
    for (const told of [uploaded, read]) {
      expect([told.status, told.code]).toEqual([503, 'not_ready'])
      expect(Number(told.headers.get('retry-after'))).toBeGreaterThan(0)
      // No client learns where the content is.
      expect(told.text).not.toContain(place.bucket)
    }
    expect(ready.status).toBe(503)
    expect(ready.text).toContain('the object store is unavailable')
    expect(ready.text).not.toContain(place.bucket)
    expect(stage.lines.some((line) => line.includes(place.bucket))).toBe(true)
    await proxy.mend()
    await put(writer, other)
    expect(await writer.download(content.file.hash)).toEqual(content.bytes)
    await expect.poll(async () => (await readyz()).status).toBe(200)
  })

  test('lets other uploads and the journal go on while one write to the store stands still', async () => {
    const slow = contentOf('slow')
    const { promise: isStill, resolve: standStill } = Promise.withResolvers<void>()
    const { promise: goingOn, resolve: goOn } = Promise.withResolvers<void>()
    const held: StoreRequest[] = []
    proxy.decide((request): Fault | undefined => {
      if (request.kind !== 'put' || held.length > 0) return undefined
      held.push(request)
      standStill()
      return { after: goingOn }
    })
    const uploading = writer.upload(slow.xorb)
    await isStill
    for (const word of ['one', 'two', 'three']) await put(writer, contentOf(word))
    await stage.world.done('ref set', { repository, ref: 'later', from: 'main' })
    expect(held[0]?.status).toBeUndefined()
    goOn()
    expect((await uploading).status).toBe(200)
  })

  test.each([
    ['has no room', { status: 507, code: 'InsufficientStorage' }, 507, 'storage_full'],
    ['has forgotten the credentials', { status: 400, code: 'ExpiredToken' }, 503, 'not_ready'],
    ['denies the write', { status: 403, code: 'AccessDenied' }, 503, 'not_ready'],
  ])('tells clients so while the store %s', async (_, response, status, code) => {
    const content = contentOf(response.code)
    proxy.decide(({ kind }) => (kind === 'put' ? { response } : undefined))
    const call = `POST /v1/xorbs/default/${content.xorb.hash}`
    const told = await writer.ask(call, { body: bodyOf(content.xorb.bytes) })
    expect([told.status, told.code]).toEqual([status, code])
    expect(stage.drafts()).toEqual([])
    await proxy.mend()
    await put(writer, content)
    expect(await writer.download(content.file.hash)).toEqual(content.bytes)
  })

  test('stores each upload once through a storm of 503 and of lost responses', async () => {
    const answers = new Map<string, number>()
    proxy.decide(({ kind, key }): Fault | undefined => {
      const name = `${kind} ${key}`
      const count = (answers.get(name) ?? 0) + 1
      answers.set(name, count)
      if (count === 1) return { response: { status: 503, code: 'SlowDown' } }
      return count === 2 && kind === 'put' ? { loseResponse: true } : undefined
    })
    const content = contentOf('in a storm')
    expect((await writer.upload(content.xorb)).json).toEqual({ was_inserted: true })
    expect(answers.size).toBeGreaterThanOrEqual(3)
    await proxy.mend()
    await writer.register([content.file])
    expect(await writer.download(content.file.hash)).toEqual(content.bytes)
  })

  test('gives no byte of an object that was changed or cut in the store', async () => {
    for (const change of ['changed', 'cut'] as const) {
      const before = new Set(filesOf('objects'))
      const content = contentOf(`${change} in the store`, 40)
      await put(writer, content)
      const [file = ''] = filesOf('objects').filter((name) => !before.has(name))
      if (change === 'cut') truncateSync(file, 1000)
      else {
        const bytes = readFileSync(file)
        bytes.fill(1, 500, 504)
        writeFileSync(file, bytes)
      }
      const told = await writer.ask(`GET /v1/files/${content.file.hash}`).catch(() => undefined)
      expect([undefined, 500]).toContain(told?.status)
    }
  })

  function filesOf(kind: string): readonly string[] {
    const cwd = store.fileOf(local, kind)
    return globSync('*/*', { cwd }).map((name) => join(cwd, name))
  }
})
