/** What a store in a bucket does where the bucket is shared, keeps versions, or fails. */

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { unixSeconds } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import {
  type FaultProxy,
  type RequestKind,
  startFaultProxy,
} from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, sharedVersitygw, startVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  DamagedObject,
  type ObjectKey,
  type ObjectStore,
  type S3Place,
  StoreUnavailable,
} from '../../src/objects/object-store.ts'
import { diskObjects } from '../../src/objects/open-objects.ts'
import { objectName, tableName } from '../../src/objects/s3/names.ts'
import { signedHeaders } from '../../src/objects/s3/sign-request.ts'
import { gather } from '../../src/xorbs/verified-chunks.ts'
import { anObject, type MadeObject, put } from './disk-world.ts'
import { clientOf, openS3, s3Place } from './s3-world.ts'

const hasNoStore = isVersitygwMissing('it is not tested how content survives a store that fails')
const made = anObject('a')
const large = anObject('large', [3 * 1024 * 1024])

describe.skipIf(hasNoStore)('in versitygw', () => {
  let store: LocalS3Store
  beforeAll(async () => {
    store = await startVersitygw({ hasVersions: true })
  })
  afterAll(() => store?.kill())

  async function openFaulty(): Promise<{
    proxy: FaultProxy
    place: S3Place
    objects: ObjectStore
  }> {
    const proxy = await startFaultProxy(store.port)
    onTestFinished(() => proxy.close())
    const place = { ...s3Place(store), endpoint: proxy.endpoint }
    return { proxy, place, objects: openS3(place) }
  }

  describe('a bucket', () => {
    test('has nothing outside of the prefix touched, and two prefixes know nothing of each other', async () => {
      const place = s3Place(store)
      const [one, other] = [openS3(place), openS3({ ...place, prefix: 'b/' })]
      const outside = clientOf({ ...place, prefix: '' })
      await outside.put('objects/00/stranger', Buffer.from('left alone'))
      await outside.put(`a/objects/${'0'.repeat(32)}`, Buffer.from('left alone'))
      await Promise.all([one.prepare(), other.prepare()])
      const key = await put(one, made)
      expect(await other.sizeOf(key)).toBeUndefined()
      await other.remove(key)
      expect([await keysIn(one), await keysIn(other)]).toEqual([[key], []])
      await one.remove(key)
      expect(await namesIn(outside)).toEqual([`a/objects/${'0'.repeat(32)}`, 'objects/00/stranger'])
    })

    test('that keeps versions keeps none of an object that was removed', async () => {
      const place = s3Place(store)
      await keepVersions(place)
      const objects = openS3(place)
      await objects.prepare()
      const key = await put(objects, made)
      await objects.remove(key)
      const left: string[] = []
      for await (const { key: name } of clientOf(place).listVersions('')) left.push(name)
      expect(left).toEqual([])
    })

    test('has the probe of a process that was killed swept once it is old', async () => {
      const place = s3Place(store)
      const [objects, client] = [openS3(place), clientOf(place)]
      await client.put('probes/0', Buffer.from('one'))
      const [never, always] = [unixSeconds(0), unixSeconds(9_999_999_999)]
      expect(await objects.sweepDrafts(never, false)).toEqual({ count: 0, bytes: 0 })
      expect(await objects.sweepDrafts(always, true)).toEqual({ count: 1, bytes: 3 })
      expect(await objects.sweepDrafts(always, false)).toEqual({ count: 1, bytes: 3 })
      expect(await namesIn(client)).toEqual([])
    })

    test('that is not there, or denies access, lets no storage start', async () => {
      const place = s3Place(store)
      const secretAccessKey = 'wrong-secret-of-the-tester'
      const wrong = [
        { ...place, bucket: 'none' },
        { ...place, credentials: { accessKeyId: 'tester', secretAccessKey } },
      ]
      for (const place of wrong) {
        const preparing = openS3(place).prepare()
        await expect(preparing).rejects.toThrow(CannotStart)
        await expect(preparing).rejects.toThrow(/^Content cannot be kept in S3: /)
        await expect(preparing).rejects.not.toThrow(secretAccessKey)
      }
    })

    test.each(['if-none-match', 'if-match'])(
      'whose store ignores %s lets no storage start, and has no probe left',
      async (header) => {
        const { proxy, place, objects } = await openFaulty()
        let conditions = 0
        proxy.decide(({ kind, headers }) => {
          if (kind !== 'put' || headers[header] === undefined) return undefined
          conditions += 1
          return conditions === 2 ? { response: { status: 200, code: 'None' } } : undefined
        })
        await expect(objects.prepare()).rejects.toThrow(/does not honour If-(None-)?Match/)
        await proxy.mend()
        expect(await namesIn(clientOf(place))).toEqual([])
      },
    )
  })

  describe('an object', () => {
    test('is never replaced by another one under its key', async () => {
      const place = s3Place(store)
      // As if chance had given one name twice.
      const randomBytes = () => Buffer.alloc(16, 7)
      const key = await put(openS3(place, { randomBytes }), made)
      await expect(put(openS3(place, { randomBytes }), anObject('b'))).rejects.toThrow('already')
      expect(await contentOf(openS3(place), key, made)).toEqual(packedOf(made))
    })

    test('is whole where the response to a put was lost', async () => {
      const { proxy, objects } = await openFaulty()
      const lost = new Set<string>()
      proxy.decide(({ kind, key }) => {
        if (kind !== 'put' || lost.has(key)) return undefined
        lost.add(key)
        return { loseResponse: true }
      })
      const key = await put(objects, made)
      expect(lost.size).toBe(2)
      expect(await contentOf(objects, key, made)).toEqual(packedOf(made))
      expect((await objects.table(key)).packedBytes).toBe(made.packedBytes)
    })

    test.each(['objects/', 'tables/'])(
      'whose put fails at %s can be removed by its key, and so can one half',
      async (half) => {
        const { proxy, place, objects } = await openFaulty()
        const denied = { response: { status: 403, code: 'AccessDenied' } }
        proxy.decide(({ kind, key }) => (kind === 'put' && key.includes(half) ? denied : undefined))
        await expect(put(objects, made)).rejects.toThrow(StoreUnavailable)
        await proxy.mend()
        const [key] = await keysIn(objects)
        expect(key).toBeDefined()
        await objects.remove(key as ObjectKey)
        expect(await namesIn(clientOf(place))).toEqual([])
      },
    )

    test('whose transfer breaks off is read to its end, and one that is too short is damaged', async () => {
      const { proxy, objects } = await openFaulty()
      const key = await put(objects, large)
      let [cut, shortened] = [0, 0]
      proxy.decide(({ kind }) =>
        kind === 'get' && cut++ === 0 ? { cutResponseAt: 1e6 } : undefined,
      )
      expect(await contentOf(objects, key, large)).toEqual(packedOf(large))
      expect(cut).toBe(2)
      proxy.decide(({ kind }) =>
        kind === 'get' && shortened++ < 9 ? { shortenResponseTo: 1e6 } : undefined,
      )
      await expect(contentOf(objects, key, large)).rejects.toThrow(DamagedObject)
    })

    test('is sent no further when its reader stops', async () => {
      const { proxy, objects } = await openFaulty()
      const huge = anObject('huge', [24 * 1024 * 1024])
      const key = await put(objects, huge)
      for await (const part of objects.read(key, 0, huge.packedBytes - 1)) {
        expect(part.length).toBeGreaterThan(0)
        break
      }
      // No connection is left that would hold up the end.
      await objects.close()
      const [read] = proxy.requests.filter(({ kind }) => kind === 'get')
      expect(read?.receivedBytes).toBeLessThan(huge.packedBytes)
    })

    test('whose table is lost counts as lost, and its table alone can be found', async () => {
      const place = s3Place(store)
      const objects = openS3(place)
      const [key, other] = [await put(objects, made), await put(objects, made)]
      await clientOf(place).remove(tableName(key))
      await clientOf(place).remove(objectName(other))
      await expect(objects.table(key)).rejects.toThrow('no chunk table')
      expect([await objects.fullSizeOf(key), await objects.fullSizeOf(other)]).toEqual([
        ...[undefined, undefined],
      ])
      expect(await objects.sizeOf(key)).toBe(made.packedBytes)
      expect(new Set(await keysIn(objects))).toEqual(new Set([key, other]))
    })
  })

  describe('a probe', () => {
    test('is one request for all who ask within a second', async () => {
      const { proxy, objects } = await openFaulty()
      await objects.writeMarker('as every store in use has one', 'new')
      let nowMs = performance.now()
      const stopwatch = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
      onTestFinished(() => stopwatch.mockRestore())
      const probes = async () => {
        // The cache looks at the time once in a millisecond.
        await delay(5)
        await Promise.all(Array.from({ length: 50 }, () => objects.probe()))
      }
      await probes()
      nowMs += 990
      await probes()
      expect(countOf(proxy, 'head')).toBe(1)
      nowMs += 20
      await probes()
      expect(countOf(proxy, 'head')).toBe(2)
    })

    test('rejects while the store refuses connections, and no longer', async () => {
      const { proxy, objects } = await openFaulty()
      await proxy.refuse()
      await expect(objects.probe()).rejects.toThrow(StoreUnavailable)
      await proxy.mend()
      await objects.probe()
    })

    test('that has failed lets an upload be refused before its body is read, until the store is back', async () => {
      const { proxy, objects } = await openFaulty()
      await objects.prepare()
      await proxy.refuse()
      await expect(objects.probe()).rejects.toThrow(StoreUnavailable)
      let isRead = false
      const receive = () =>
        objects.receive(
          (async function* () {
            isRead = true
            yield Buffer.from('body')
          })(),
          10,
        )
      await expect(receive()).rejects.toThrow(StoreUnavailable)
      expect(isRead).toBe(false)
      await proxy.mend()
      await expect.poll(() => receive().catch(() => undefined)).toMatchObject({ bytes: 4 })
    })
  })

  test('what was carried in part is carried on with, and not once more', async () => {
    const [from, { proxy, place, objects }] = [s3Place(store), await openFaulty()]
    const source = openS3(from)
    const keys: ObjectKey[] = []
    for (let n = 0; n < 6; n += 1) keys.push(await put(source, anObject(`object ${n}`)))
    const items = keys.map((key) => ({ key }))
    const carriage = { from, mayShare: false, onProgress() {} }
    let puts = 0
    const denied = { response: { status: 403, code: 'AccessDenied' } }
    proxy.decide(({ kind }) => {
      if (kind === 'put') puts += 1
      return kind === 'put' && puts > 5 ? denied : undefined
    })
    await expect(objects.carry(items, carriage)).rejects.toThrow(StoreUnavailable)
    await proxy.mend()
    const there = (await namesIn(clientOf(place))).length
    proxy.forget()
    const bytes = 6 * made.packedBytes
    expect(await objects.carry(items, carriage)).toEqual({ count: 6, bytes, missing: [] })
    expect(countOf(proxy, 'put')).toBe(12 - there)
    expect(new Set(await keysIn(objects))).toEqual(new Set(keys))
  })
})

test.skipIf(hasNoStore)(
  'objects go from a bucket to a disk and back, and are the same',
  async () => {
    const store = await sharedVersitygw()
    onTestFinished(() => store.kill())
    const place = { kind: 'disk', folder: join(temporaryFolder(), 'objects') } as const
    const [disk, there, back] = [diskObjects(place), s3Place(store), s3Place(store)]
    const keys = [await put(openS3(there), made), await put(openS3(there), large)]
    const lost = 'f'.repeat(32) as ObjectKey
    const items = [...keys, lost].map((key) => ({ key }))
    const progress: number[] = []
    const carriage = { mayShare: true, onProgress: (count: number) => void progress.push(count) }
    for (let round = 0; round < 2; round += 1) {
      const carried = await disk.carry(items, { ...carriage, from: there })
      const bytes = made.bytes.length + large.bytes.length
      expect(carried).toEqual({ count: 2, bytes, missing: [{ key: lost }] })
    }
    expect(progress).toEqual([1, 2, 1, 2])
    expect(new Set(await keysIn(disk))).toEqual(new Set(keys))
    await openS3(back).carry(items, { ...carriage, from: place })
    for (const objects of [disk, openS3(back)]) {
      for (const [index, object] of [made, large].entries()) {
        const key = keys[index] as ObjectKey
        expect(await contentOf(objects, key, object)).toEqual(packedOf(object))
        expect((await objects.table(key)).packedBytes).toBe(object.packedBytes)
      }
    }
  },
)

function packedOf({ bytes, packedBytes }: MadeObject): Buffer {
  return bytes.subarray(0, packedBytes)
}

function contentOf(objects: ObjectStore, key: ObjectKey, { packedBytes }: MadeObject) {
  return gather(objects.read(key, 0, packedBytes - 1), Buffer.alloc(packedBytes))
}

function countOf({ requests }: FaultProxy, kind: RequestKind): number {
  return requests.filter((request) => request.kind === kind).length
}

async function keysIn(objects: ObjectStore): Promise<readonly ObjectKey[]> {
  const keys: ObjectKey[] = []
  for await (const { key } of objects.list()) keys.push(key)
  return keys
}

async function namesIn(client: ReturnType<typeof clientOf>): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { key } of client.list('')) names.push(key)
  return names
}

/** No storage does it: an operator has. */
async function keepVersions({ endpoint, bucket, region, credentials }: S3Place): Promise<void> {
  if (credentials === undefined) throw new Error('a place of a test has credentials')
  const { host } = new URL(endpoint)
  const request = { method: 'PUT', path: `/${bucket}`, query: [['versioning', '']] as const }
  const signer = { credentials, region, atMs: Date.now() }
  const headers = signedHeaders({ ...request, headers: { host } }, signer)
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
  const { status } = await fetch(`${endpoint}/${bucket}?versioning=`, {
    ...{ method: 'PUT', headers, body },
  })
  expect(status).toBe(200)
}
