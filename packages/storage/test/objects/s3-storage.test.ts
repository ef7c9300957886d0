/** A storage with its content in a bucket: what it asks of the store shows nobody what others have. */

import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import {
  type FaultProxy,
  type StoreRequest,
  startFaultProxy,
} from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { S3Place } from '../../src/objects/object-store.ts'
import type { Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const hasNoStore = isVersitygwMissing('a storage in front of a bucket is not tested')
const folder = sharedFolder()
const encryption = { algorithm: 'aws:kms', kmsKeyId: 'arn:aws:kms:eu-west-3:1:key/2' } as const

describe.skipIf(hasNoStore)('a storage in front of a bucket', () => {
  let store: LocalS3Store
  let proxy: FaultProxy
  let local: ReturnType<LocalS3Store['newPlace']>
  let place: S3Place
  let stage: Stage
  let repository: string
  let writer: Caller
  beforeAll(async () => {
    store = await sharedVersitygw()
    proxy = await startFaultProxy(store.port)
    local = store.newPlace()
    place = { ...local, endpoint: proxy.endpoint, scratch: `${folder}/scratch`, encryption }
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
      ...['head objects 0', 'head tables 0'],
      expect.stringMatching(/^put objects \d+$/),
      expect.stringMatching(/^put tables \d+$/),
    ])
    expect(uploads).toEqual(Array(3).fill(uploads[0]))
    expect(shards).toEqual(Array(3).fill(shards[0]))
    const stranger = await stage.caller(`read ${await stage.newRepository()}@main`)
    for (const { xorb, file, firstChunk } of [contentOf('absent'), near, far]) {
      const calls = [
        `v1/xorbs/default/${xorb.hash}`,
        `v1/files/${file.hash}`,
        `v1/chunks/default/${firstChunk}`,
        `v1/reconstructions/${file.hash}`,
        `v2/reconstructions/${file.hash}`,
      ]
      const asked = requestsDuring(stored + 1, async () => {
        const told = await Promise.all(calls.map((call) => stranger.ask(`GET /${call}`)))
        expect(told.map(({ status }) => status)).toEqual(Array(calls.length).fill(404))
      })
      expect(await asked).toEqual([])
    }
  })

  test('asks the store to encrypt each object that it writes, and names the key in no other request', async () => {
    proxy.forget()
    const content = contentOf('encrypted')
    await put(writer, content)
    expect(await writer.download(content.file.hash)).toEqual(content.bytes)
    const headersOf = (isPut: boolean) =>
      proxy.requests
        .filter(({ kind }) => (kind === 'put') === isPut)
        .map(({ headers }) =>
          Object.entries(headers).filter(([name]) => name.includes('encryption')),
        )
    const wanted = Object.entries({
      'x-amz-server-side-encryption': encryption.algorithm,
      'x-amz-server-side-encryption-aws-kms-key-id': encryption.kmsKeyId,
    })
    // An object and its table.
    expect(headersOf(true)).toEqual([wanted, wanted])
    // A store rejects a read with such a header.
    expect(new Set(headersOf(false).flat())).toEqual(new Set())
    expect(headersOf(false).length).toBeGreaterThan(0)
  })

  test('refuses a shard with a xorb that is lost in the bucket, and asks for each at most once', async () => {
    const xorbs = Array.from({ length: 34 }, (_, index) =>
      makeXorb(randomChunks(`lost ${index}`, 1)),
    )
    const lost = xorbs[20] ?? expect.unreachable()
    for (const xorb of xorbs) {
      proxy.forget()
      expect((await writer.upload(xorb)).status).toBe(200)
      if (xorb !== lost) continue
      const isBytes = ({ kind, key }: StoreRequest) => kind === 'put' && key.includes('/objects/')
      const { key = '' } = proxy.requests.find(isBytes) ?? {}
      rmSync(store.fileOf(local, key.slice(place.prefix.length)))
    }
    proxy.forget()
    let most = 0
    proxy.decide(() => {
      const open = proxy.requests.filter(({ status }) => status === undefined).length
      most = Math.max(most, open)
      return { delayMs: 300 }
    })
    const file = makeFile(xorbs.map((xorb) => ({ xorb })))
    const refused = await writer.register([file])
    expect([refused.status, refused.code]).toEqual([400, 'content_invalid'])
    expect(refused.json['detail']).toContain(`the xorb ${lost.hash}`)
    expect(stage.lines.some((line) => line.includes('"reason":"object_lost"'))).toBe(true)
    const looks = proxy.requests.filter(({ key }) => key.includes('/objects/'))
    expect(looks.length).toBeGreaterThan(1)
    expect(new Set(looks.map(({ key }) => key)).size).toBe(looks.length)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(32)
    // The lost one again; the others are there.
    await proxy.mend()
    expect((await writer.upload(lost)).status).toBe(200)
    expect((await writer.register([file])).status).toBe(200)
    expect(await writer.download(file.hash)).toEqual(
      Buffer.concat(
        Array.from({ length: 34 }, (_, index) => randomChunks(`lost ${index}`, 1)).flat(),
      ),
    )
  })

  function filesOf(kind: string): readonly string[] {
    const cwd = store.fileOf(local, kind)
    return globSync('*/*', { cwd }).map((name) => join(cwd, name))
  }
})
