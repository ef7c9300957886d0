/** A storage whose object store fails in many ways: what it acknowledged stays whole, wrong bytes go to nobody, and other work goes on. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { type FaultProxy, startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, type S3PlaceOfTest, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verify } from '../../src/maintenance/verify.ts'
import type { ObjectKey } from '../../src/objects/object-store.ts'
import { objectName } from '../../src/objects/s3/names.ts'
import { bodyOf, type Caller, type Told } from '../caller.ts'
import { type Content, contentOf, lookFor, nothing, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const hasNoStore = isVersitygwMissing('it is not tested how a storage serves while its store fails')

describe.skipIf(hasNoStore)('while its store', () => {
  let store: LocalS3Store
  let proxy: FaultProxy
  let place: S3PlaceOfTest
  let stage: Stage
  let scratch: string
  let writer: Caller
  let stored: Content
  beforeAll(async () => {
    store = await sharedVersitygw()
    proxy = await startFaultProxy(store.port)
    place = { ...store.newPlace(), endpoint: proxy.endpoint }
    scratch = mkdtempSync(join(tmpdir(), 'latchkey-drafts-'))
    const operations = { port: undefined, host: '127.0.0.1' }
    stage = await openStage({ settings: { objects: { ...place, scratch }, operations } })
  })
  afterAll(async () => {
    await stage?.close()
    await proxy?.close()
    await store?.kill()
    rmSync(scratch, { recursive: true, force: true })
  })
  let count = 0
  beforeEach(async () => {
    await proxy.mend()
    writer = await stage.caller(`write ${await stage.newRepository()}@main`)
    count += 1
    stored = contentOf(`stored ${count}`)
    await put(writer, stored)
  })

  const fresh = (what: string) => contentOf(`${what} ${count}`)
  const uploadFile = (bytes: Uint8Array) => writer.ask('PUT /v1/files', { body: bodyOf(bytes) })
  /** Its first pieces are refused while the client still sends. */
  const uploadWithoutEnd = () => {
    const part = new Uint8Array(256 * 1024)
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(part) })
    return writer.ask('PUT /v1/files', { body })
  }
  const readFile = (content: Content) => writer.ask(`GET /v1/files/${content.file.hash}`)
  const readXorb = (content: Content) => writer.ask(`GET /v1/xorbs/default/${content.xorb.hash}`)
  const outcome = ({ status, code, headers }: Told) => [status, code, headers.get('retry-after')]
  const away = [503, 'not_ready', '5']

  async function readiness() {
    const response = await fetch(`${stage.url}/readyz`)
    return { status: response.status, text: await response.text() }
  }

  /** What was refused can be sent again, and what was stored before is whole. */
  async function expectWhole(...later: readonly Content[]): Promise<void> {
    await proxy.mend()
    await expect.poll(async () => (await readiness()).status).toBe(200)
    for (const content of later) {
      expect(await lookFor(writer, content)).toEqual(nothing(content))
      await put(writer, content)
    }
    for (const content of [stored, ...later]) {
      expect((await readFile(content)).bytes.equals(content.bytes)).toBe(true)
      expect(await writer.download(content.file.hash)).toEqual(content.bytes)
    }
    expect(readdirSync(scratch)).toEqual([])
    const text = stage.lines.join('\n')
    expect(text).not.toContain(place.credentials.secretAccessKey)
    expect(text).not.toMatch(/X-Amz-Signature|AWS4-HMAC/)
  }

  test('refuses connections, requests are a 503, and changes of the hub are followed', async () => {
    const [xorb, file] = [fresh('xorb'), fresh('file')]
    await proxy.refuse()
    const asked = Promise.all([
      writer.upload(xorb.xorb),
      uploadFile(file.bytes),
      readXorb(stored),
      readFile(stored),
    ])
    await expect.poll(async () => (await readiness()).status, { timeout: 10_000 }).toBe(503)
    const { text } = await readiness()
    expect(text).toMatch(/object store is unavailable: .*ECONNREFUSED/)
    for (const name of [place.bucket, place.endpoint, scratch]) expect(text).not.toContain(name)
    // It waits for the journal.
    const other = await stage.caller(`read ${await stage.newRepository()}@main`)
    expect((await other.ask(`HEAD /v1/files/${stored.file.hash}`)).status).toBe(404)
    expect((await asked).map(outcome)).toEqual([away, away, away, away])
    expect(stage.lines.some((line) => line.includes('ECONNREFUSED'))).toBe(true)
    await expectWhole(xorb, file)
  })

  test('holds each PUT of an upload, other uploads and the journal go on', async () => {
    const [slow, fast] = [fresh('slow'), fresh('fast')]
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    const slowKeys = new Set<string>()
    proxy.decide(({ kind, key }) => {
      const name = key.split('/').at(-1) ?? ''
      if (kind !== 'put' || (slowKeys.size > 0 && !slowKeys.has(name))) return undefined
      slowKeys.add(name)
      return { after: held }
    })
    let isOver = false
    const uploading = writer.upload(slow.xorb).then((told) => {
      isOver = true
      return told.status
    })
    await expect.poll(() => slowKeys.size).toBe(1)
    await put(writer, fast)
    const repository = await stage.newRepository()
    await stage.world.done('ref set', { repository, ref: 'dev', commit: commit('b') })
    const other = await stage.caller(`write ${repository}@dev`)
    await put(other, contentOf(`elsewhere ${count}`))
    expect((await readFile(fast)).bytes.equals(fast.bytes)).toBe(true)
    expect([isOver, (await readiness()).status]).toEqual([false, 200])
    goOn()
    expect(await uploading).toBe(200)
    await writer.register([slow.file], [slow.xorb])
    expect((await readFile(slow)).bytes.equals(slow.bytes)).toBe(true)
  })

  test('gives 503 to two of three attempts, clients see nothing of it', async () => {
    const content = fresh('storm')
    const attempts = new Map<string, number>()
    proxy.decide(({ kind, key, query }) => {
      const name = `${kind} ${key} ${query}`
      attempts.set(name, (attempts.get(name) ?? 0) + 1)
      if ((attempts.get(name) ?? 0) % 3 === 0) return undefined
      return { response: { status: 503, code: 'SlowDown' } }
    })
    await put(writer, content)
    expect((await readXorb(content)).bytes.equals(content.xorb.bytes)).toBe(true)
    expect((await readFile(stored)).bytes.equals(stored.bytes)).toBe(true)
    expect([...attempts.values()].every((made) => made % 3 === 0)).toBe(true)
  })

  test('loses the response to every first PUT, each object is there once', async () => {
    const content = fresh('lost')
    const seen = new Set<string>()
    proxy.decide(({ kind, key }) => {
      if (kind !== 'put' || seen.has(key)) return undefined
      seen.add(key)
      return { loseResponse: true }
    })
    await put(writer, content)
    expect(seen.size).toBe(2)
    await expectWhole()
    expect((await readFile(content)).bytes.equals(content.bytes)).toBe(true)
  })

  test('cuts each body that it is sent or asked for once, nothing is missing', async () => {
    const content = fresh('cut')
    const seen = new Set<string>()
    proxy.decide(({ kind, key }) => {
      const name = `${kind} ${key}`
      if (!['put', 'get'].includes(kind) || !key.includes('/objects/') || seen.has(name)) {
        return undefined
      }
      seen.add(name)
      return kind === 'put' ? { cutRequestAt: 20_000 } : { cutResponseAt: 20_000 }
    })
    await put(writer, content)
    expect((await readXorb(content)).bytes.equals(content.xorb.bytes)).toBe(true)
    expect(seen.size).toBe(2)
  })

  test.each([
    ['has lost the end of an object', (bytes: Buffer) => bytes.subarray(0, -10)],
    ['has another byte in an object', spoiledIn(1000)],
  ])('%s, it is served to nobody, and verify finds it', async (_, change) => {
    const key = await keyOf(stored)
    const file = store.fileOf(place, objectName(key))
    const whole = readFileSync(file)
    writeFileSync(file, change(Buffer.from(whole)))
    const served = await readFile(stored).then(
      ({ status, bytes }) => ({ status, bytes }),
      // The response was cut where the damage begins.
      () => undefined,
    )
    expect(served?.status === 200 && served.bytes.equals(stored.bytes)).toBe(false)
    expect(served?.status ?? 500).toBeGreaterThanOrEqual(500)
    const found = await verify(stage.maintenance, { withContent: true })
    expect(found).toMatchObject({
      badObjects: 1,
      badXorbs: [{ problem: 'damaged', xorb: stored.xorb.hash }],
    })
    writeFileSync(file, whole)
    await expectWhole()
  })

  test('sends a wrong byte, no file with it is served', async () => {
    proxy.decide(({ kind, key }) =>
      kind === 'get' && key.includes('/objects/') ? { spoilResponseAt: 500 } : undefined,
    )
    const served = await readFile(stored).then(
      ({ status }) => status,
      () => 'cut',
    )
    expect(['cut', 500]).toContain(served)
    await expectWhole()
  })

  test.each([
    [
      'finds that the clocks differ',
      403,
      'RequestTimeTooSkewed',
      'the clocks of this machine and the store differ',
    ],
    ['says that the credentials have expired', 400, 'ExpiredToken', 'credentials have expired'],
    ['denies access', 403, 'AccessDenied', 'check its credentials'],
  ])('%s, the log says so', async (_, status, code, reason) => {
    const content = fresh(code)
    proxy.decide(() => ({ response: { status, code } }))
    expect(outcome(await writer.upload(content.xorb))).toEqual(away)
    expect(outcome(await readXorb(stored))).toEqual(away)
    expect(stage.lines.some((line) => line.includes(reason))).toBe(true)
    // It was asked a moment ago.
    await expect.poll(async () => (await readiness()).status, { timeout: 10_000 }).toBe(503)
    await expectWhole(content)
  })

  test('is full, uploads are a 507 and reads go on', async () => {
    const [xorb, file] = [fresh('xorb'), fresh('file')]
    proxy.decide(({ kind }) =>
      kind === 'put' ? { response: { status: 507, code: 'InsufficientStorage' } } : undefined,
    )
    const full = [507, 'storage_full', null]
    expect(outcome(await writer.upload(xorb.xorb))).toEqual(full)
    expect(outcome(await uploadFile(file.bytes))).toEqual(full)
    expect(outcome(await uploadWithoutEnd())).toEqual(full)
    expect((await readFile(stored)).bytes.equals(stored.bytes)).toBe(true)
    await expectWhole(xorb, file)
  })

  async function keyOf(content: Content): Promise<ObjectKey> {
    const { key } = await stage.maintenance.database.read((tables) =>
      tables
        .selectFrom('stored_objects')
        .innerJoin('stored_xorbs', 'stored_xorbs.digest', 'stored_objects.digest')
        .select('stored_objects.key')
        .where('stored_xorbs.hash', '=', content.xorb.hash)
        .executeTakeFirstOrThrow(),
    )
    return key as ObjectKey
  }
})

function spoiledIn(at: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    return bytes
  }
}
