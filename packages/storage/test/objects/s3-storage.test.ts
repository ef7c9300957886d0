/** A storage with its content in a bucket: what it asks of the store shows nobody what others have. */

import { globSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { type FaultProxy, startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, startVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { S3Place } from '../../src/objects/object-store.ts'
import type { Caller } from '../caller.ts'
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

  function filesOf(kind: string): readonly string[] {
    const cwd = store.fileOf(local, kind)
    return globSync('*/*', { cwd }).map((name) => join(cwd, name))
  }
})
