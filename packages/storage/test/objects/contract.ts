/** What every object store does, whatever keeps its bytes: another kind of store runs this suite as it is. */

import { buffer } from 'node:stream/consumers'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openCatalog } from '../../src/catalog/catalog-database.ts'
import { digestsOf, nameObject, objectOf, reserveObjects } from '../../src/catalog/object-names.ts'
import { collectObjects } from '../../src/maintenance/collect-objects.ts'
import { deleteUnmapped, type Removing } from '../../src/maintenance/remove-objects.ts'
import {
  DamagedObject,
  DiskFull,
  NoSuchObject,
  type ObjectKey,
  type ObjectStore,
  type ObjectsOptions,
  type ObjectsPlace,
  type StoredObject,
} from '../../src/objects/object-store.ts'
import { gather } from '../../src/xorbs/verified-chunks.ts'
import { anObject, inParts, type MadeObject, put, received } from './disk-world.ts'

/** A store of a test's own, in which nothing is yet. */
export interface ContractStore {
  /** Undefined where nothing is carried from. */
  readonly place: ObjectsPlace | undefined
  /** As another process has it, or the next one. */
  open(options?: ObjectsOptions): ObjectStore
  /** Changes the stored bytes of an object behind its back. */
  spoil(key: ObjectKey, change: (bytes: Buffer) => Buffer): Promise<void>
  /** More objects than the store lists at once. */
  readonly manyObjects: number
  /** Who read at once, and stop. */
  readonly manyReaders: number
  /** Whether a condition and the write that it is for are one step, also beside other writers. */
  readonly hasAtomicWrites: boolean
  /** What the store says of the length of an object. */
  lengthOf(made: MadeObject): number
}

const never = unixSeconds(0)
const always = unixSeconds(9_999_999_999)
const made = anObject('a', [100, 50, 7])

export function testObjectStore(openEmpty: () => ContractStore): void {
  const openOne = () => openEmpty().open()

  describe('a store', () => {
    test('is prepared by every process, and can be used then', async () => {
      const store = openEmpty()
      await store.open().prepare()
      const key = await put(store.open(), made)
      const next = store.open()
      await next.prepare()
      await next.probe()
      expect(await contentOf(next, key, made)).toEqual(packedOf(made))
    })
  })

  describe('a draft', () => {
    test('holds what was sent, for this process and for a thread', async () => {
      const store = openEmpty()
      const draft = await received(store.open(), made.bytes)
      expect(draft.bytes).toBe(made.bytes.length)
      expect(await buffer(store.open().readDraft(draft.id))).toEqual(made.bytes)
      const opened = store.open().openDraft(draft.id)
      const into = Buffer.alloc(1000)
      expect([opened.read(into), opened.read(into)]).toEqual([made.bytes.length, 0])
      opened.close()
    })

    test('that is completed ends with its table, and not with what came behind its chunks', async () => {
      const store = openEmpty()
      const objects = store.open()
      const table = await objects.table(await put(objects, made))
      const packed = made.bytes.subarray(0, made.packedBytes)
      const draft = await received(objects, Buffer.concat([packed, Buffer.alloc(500, 'footer')]))
      const opened = store.open().openDraft(draft.id)
      opened.complete(table)
      opened.close()
      const key = await objects.put(draft)
      expect((await objects.table(key)).encoded()).toEqual(table.encoded())
      expect(await contentOf(objects, key, made)).toEqual(packed)
    })

    test('that is too long, or breaks off, leaves nothing', async () => {
      const objects = openOne()
      expect(await objects.receive(inParts(made.bytes), made.bytes.length - 1)).toBeUndefined()
      async function* broken() {
        yield Buffer.alloc(10)
        throw new Error('the client went away')
      }
      await expect(objects.receive(broken(), 100)).rejects.toThrow('the client went away')
      await expectNothing(objects)
    })

    test('without room is told so in the words of the port, and leaves nothing', async () => {
      const objects = openEmpty().open({ guard: withoutRoom })
      await expect(objects.receive(inParts(made.bytes), 1000)).rejects.toThrow(DiskFull)
      await expectNothing(objects)
    })

    test('that is discarded, once or twice, leaves nothing and cannot be put', async () => {
      const objects = openOne()
      const draft = await received(objects, made.bytes)
      await draft.discard()
      await draft.discard()
      await expect(objects.put(draft)).rejects.toThrow()
      await expectNothing(objects)
    })

    test('whose process died is no object, and is swept once it is old', async () => {
      const store = openEmpty()
      await received(store.open(), made.bytes)
      const next = store.open()
      expect(await listed(next)).toEqual([])
      const key = await put(next, made)
      const one = { count: 1, bytes: made.bytes.length }
      expect(await next.sweepDrafts(never, false)).toEqual({ count: 0, bytes: 0 })
      expect(await next.sweepDrafts(always, true)).toEqual(one)
      expect(await next.sweepDrafts(always, false)).toEqual(one)
      expect(await contentOf(next, key, made)).toEqual(packedOf(made))
      await next.remove(key)
      await expectNothing(next)
    })
  })

  describe('an object', () => {
    test('is read in ranges, with its table, by every process', async () => {
      const store = openEmpty()
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
      const ranged = withPacked(anObject('b', [200, 56]), bytes)
      const key = await put(store.open(), ranged)
      const whole = await put(store.open(), made)
      for (const objects of [store.open(), store.open({ tableBytes: 1000 })]) {
        expect(await buffer(objects.read(key, 10, 19))).toEqual(bytes.subarray(10, 20))
        expect(await buffer(objects.read(key, 255, 255))).toEqual(bytes.subarray(255))
        expect(await buffer(objects.read(key, 0, 255))).toEqual(bytes)
        expect(await objects.sizeOf(key)).toBe(store.lengthOf(ranged))
        expect(await objects.fullSizeOf(key)).toBe(ranged.bytes.length)
        const table = await objects.table(whole)
        expect([table.count, table.packedBytes, table.packedStart(2)]).toEqual([3, 157, 150])
      }
    })

    test('has a key of its own, whoever put the same bytes before or after', async () => {
      const objects = openOne()
      const [one, other] = [await put(objects, made), await put(objects, made)]
      expect(one).not.toBe(other)
      await objects.remove(one)
      expect(await contentOf(objects, other, made)).toEqual(packedOf(made))
      expect(await put(objects, made)).not.toBe(one)
    })

    test('stays when its draft is discarded', async () => {
      const objects = openOne()
      const draft = await received(objects, made.bytes)
      const key = await objects.put(draft)
      await draft.discard()
      expect(await contentOf(objects, key, made)).toEqual(packedOf(made))
    })

    test('is put once', async () => {
      const objects = openOne()
      const draft = await received(objects, made.bytes)
      await objects.put(draft)
      await expect(objects.put(draft)).rejects.toThrow()
      expect(await listed(objects)).toHaveLength(1)
    })

    test('that is not there has no size, no table and no bytes, and can be removed', async () => {
      const objects = openOne()
      const key = await put(objects, made)
      await objects.remove(key)
      await objects.remove(key)
      expect(await objects.sizeOf(key)).toBeUndefined()
      expect(await objects.fullSizeOf(key)).toBeUndefined()
      await expect(objects.table(key)).rejects.toThrow(NoSuchObject)
      await expect(buffer(objects.read(key, 0, 1))).rejects.toThrow(NoSuchObject)
    })

    test('that was damaged gives no table, and no bytes that it does not have', async () => {
      const store = openEmpty()
      const objects = store.open()
      const key = await put(objects, made)
      await store.spoil(key, (bytes) => bytes.subarray(0, -1))
      await expect(objects.table(key)).rejects.toThrow(DamagedObject)
      await expect(buffer(objects.read(key, 0, made.bytes.length - 1))).rejects.toThrow(
        DamagedObject,
      )
    })

    test('is put by many processes at once, and each reads those of all', async () => {
      const store = openEmpty()
      const stores = Array.from({ length: 4 }, () => store.open())
      const words = Array.from({ length: 12 }, (_, n) => `object ${n}`)
      const keys = await Promise.all(
        words.map((word, n) => put(stores[n % 4] ?? store.open(), anObject(word))),
      )
      expect(new Set(keys).size).toBe(12)
      for (const objects of stores) {
        const contents = keys.map((key) => contentOf(objects, key, made))
        const expected = words.map((word) => packedOf(anObject(word)))
        expect(await Promise.all(contents)).toEqual(expected)
      }
    })

    test('is listed once, with its length and its age; drafts are not', async () => {
      const store = openEmpty()
      const objects = store.open()
      const before = Math.floor(Date.now() / 1000)
      const expected = new Map<string, number>()
      for (let n = 0; n < store.manyObjects; n += 1) {
        const one = anObject(`object ${n}`, [n + 1])
        expected.set(await put(objects, one), store.lengthOf(one))
      }
      await received(objects, made.bytes)
      const found = await listed(objects)
      expect(found).toHaveLength(store.manyObjects)
      expect(new Map(found.map(({ key, bytes }) => [key as string, bytes]))).toEqual(expected)
      for (const { changedAt } of found) expect(changedAt).toBeGreaterThanOrEqual(before - 2)
    })

    test('twenty at once are twenty, whole', async () => {
      const objects = openOne()
      const keys = await Promise.all(Array.from({ length: 20 }, () => put(objects, made)))
      expect(new Set(keys).size).toBe(20)
      for (const key of keys) expect(await contentOf(objects, key, made)).toEqual(packedOf(made))
    })

    test('is carried to another store under its key; what is not there is told', async ({
      skip,
    }) => {
      const [from, to] = [openEmpty(), openEmpty()]
      if (from.place === undefined) return skip('it is carried nowhere')
      const [kept, lost] = [await put(from.open(), made), await put(from.open(), made)]
      await from.open().remove(lost)
      for (const mayShare of [true, false]) {
        const carriage = { from: from.place, mayShare, onProgress() {} }
        const items = [{ key: kept }, { key: lost }]
        const carried = await to.open().carry(items, carriage)
        expect(carried).toEqual({ count: 1, bytes: to.lengthOf(made), missing: [{ key: lost }] })
      }
      expect(await contentOf(to.open(), kept, made)).toEqual(packedOf(made))
      expect(await listed(to.open())).toHaveLength(1)
    })

    test.for([true, false])(
      'that was carried (shared where the store can: %s) outlives the one that it came from',
      async (mayShare, { skip }) => {
        const [from, to] = [openEmpty(), openEmpty()]
        if (from.place === undefined) return skip('it is carried nowhere')
        const key = await put(from.open(), made)
        await to.open().carry([{ key }], { from: from.place, mayShare, onProgress() {} })
        if (!mayShare) await from.spoil(key, () => Buffer.from('damaged'))
        await from.open().remove(key)
        expect(await contentOf(to.open(), key, made)).toEqual(packedOf(made))
      },
    )

    test('whose readers stop early can be read by as many again', async () => {
      const store = openEmpty()
      const objects = store.open()
      const large = anObject('large', [1024 * 1024])
      const key = await put(objects, large)
      const stopEarly = async () => {
        for await (const part of objects.read(key, 0, large.packedBytes - 1)) return part.length
        return 0
      }
      for (let n = 0; n < 5; n += 1) {
        const parts = await Promise.all(Array.from({ length: store.manyReaders }, stopEarly))
        expect(Math.min(...parts)).toBeGreaterThan(0)
      }
      expect(await contentOf(objects, key, large)).toEqual(packedOf(large))
      await objects.close()
    })

    test('is there after its store was closed', async () => {
      const store = openEmpty()
      const objects = store.open()
      const key = await put(objects, made)
      await objects.close()
      expect(await contentOf(store.open(), key, made)).toEqual(packedOf(made))
    })
  })

  describe('the marker', () => {
    test('is what was written last, for every process, and no object', async () => {
      const store = openEmpty()
      expect(await store.open().readMarker()).toBeUndefined()
      expect(await store.open().writeMarker('one', 'new')).toBe(true)
      const first = await store.open().readMarker()
      expect(first?.text).toBe('one')
      expect(await store.open().writeMarker('two', first?.version ?? '')).toBe(true)
      const second = await store.open().readMarker()
      expect(second?.text).toBe('two')
      expect(second?.version).not.toBe(first?.version)
      await expectNothing(store.open())
    })

    test('is written over no version but the one that was read', async () => {
      const objects = openOne()
      expect(await objects.writeMarker('none', 'new')).toBe(true)
      expect(await objects.writeMarker('new again', 'new')).toBe(false)
      const { version = '' } = (await objects.readMarker()) ?? {}
      for (let n = 0; n < 6; n += 1) {
        const { version: last = '' } = (await objects.readMarker()) ?? {}
        expect(await objects.writeMarker(`${n}`, last)).toBe(true)
        expect(await objects.writeMarker('stale', version)).toBe(false)
      }
      expect((await objects.readMarker())?.text).toBe('5')
    })

    test('has one writer of many at a time', async ({ skip }) => {
      const store = openEmpty()
      if (!store.hasAtomicWrites) return skip('this store checks a condition before it writes')
      const race = async (version: string) => {
        const texts = Array.from({ length: 8 }, (_, n) => `${version} ${n}`)
        const written = await Promise.all(
          texts.map((text) => store.open().writeMarker(text, version)),
        )
        const winners = texts.filter((_, n) => written[n])
        expect(winners.length).toBeLessThanOrEqual(1)
        const marker = await store.open().readMarker()
        if (winners.length > 0) expect(winners).toEqual([marker?.text])
        return marker?.version ?? 'new'
      }
      let version = 'new'
      for (let n = 0; n < 5; n += 1) version = await race(version)
      expect(version).not.toBe('new')
    })
  })

  describe('with a catalogue', () => {
    test('the first object of a digest keeps its name, and the other one is collected', async () => {
      const world = openNamed(openOne())
      const [first, second] = [await world.put(made), await world.put(made)]
      expect(await world.name(made, first)).toBe(first)
      expect(await world.name(made, second)).toBe(first)
      expect(await world.collect()).toBe(1)
      expect(await world.objects.sizeOf(second)).toBeUndefined()
      expect(await contentOf(world.objects, first, made)).toEqual(packedOf(made))
    })

    test('an object whose transaction was undone, or whose process died, is collected once it is old', async () => {
      const world = openNamed(openOne())
      const key = await world.put(made)
      await expect(world.name(made, key, true)).rejects.toThrow('undone')
      expect(await world.collect(never)).toBe(0)
      expect(await world.objects.sizeOf(key)).toBeDefined()
      expect(await world.collect()).toBe(1)
      await expectNothing(world.objects)
    })

    test('an object that was collected gets no name any more', async () => {
      const world = openNamed(openOne())
      const key = await world.put(made)
      const removeMany = async () => {
        throw new Error('cut off')
      }
      await expect(world.collect(always, { ...world.objects, removeMany })).rejects.toThrow(
        'cut off',
      )
      await expect(world.name(made, key)).rejects.toThrow()
      expect(await world.named(made)).toBeUndefined()
    })

    test('bytes are deleted only when no digest leads to them, after readers had their time', async () => {
      const world = openNamed(openOne())
      const keys = [await world.put(made), await world.put(anObject('b'))]
      await world.name(made, keys[0] as ObjectKey)
      await world.dropRows()
      let readers = 0
      const letReadersEnd = async () => {
        readers += 1
        // Who holds the key reads on.
        for (const key of keys) expect(await world.objects.sizeOf(key)).toBeDefined()
      }
      const removeMany = async (removed: readonly ObjectKey[]) => {
        expect(new Set(removed)).toEqual(new Set(keys))
        for (const key of removed) {
          expect([readers, await world.digestOf(key)]).toEqual([1, null])
        }
        await world.objects.removeMany(removed)
      }
      expect(await world.collect(always, { ...world.objects, removeMany }, letReadersEnd)).toBe(2)
      await expectNothing(world.objects)
      expect(await world.digestOf(keys[0] as ObjectKey)).toBeUndefined()
    })

    test('a deletion that is cut off takes nothing from who brings the same bytes, and is ended later', async () => {
      const world = openNamed(openOne())
      const old = await world.put(made)
      await world.name(made, old)
      await world.dropRows()
      const removeMany = async () => {
        throw new Error('cut off')
      }
      await expect(world.collect(always, { ...world.objects, removeMany })).rejects.toThrow(
        'cut off',
      )
      expect(await contentOf(world.objects, old, made)).toEqual(packedOf(made))
      const again = await world.put(made)
      expect(await world.name(made, again)).toBe(again)
      expect(await deleteUnmapped(world.removing, always)).toMatchObject({ count: 1 })
      expect(await world.objects.sizeOf(old)).toBeUndefined()
      expect(await contentOf(world.objects, again, made)).toEqual(packedOf(made))
      expect(await world.collect()).toBe(0)
    })

    test('an object that is lost gives its name to the next one', async () => {
      const world = openNamed(openOne())
      const lost = await world.put(made)
      await world.name(made, lost)
      await world.objects.remove(lost)
      const next = await world.put(made)
      expect(await world.name(made, next, false, lost)).toBe(next)
      expect(await contentOf(world.objects, (await world.named(made)) ?? lost, made)).toEqual(
        packedOf(made),
      )
    })
  })
}

/** An object with other bytes, and the same table. */
function withPacked({ bytes, ...rest }: MadeObject, packed: Buffer): MadeObject {
  return { ...rest, bytes: Buffer.concat([packed, bytes.subarray(rest.packedBytes)]) }
}

function packedOf({ bytes, packedBytes }: MadeObject): Buffer {
  return bytes.subarray(0, packedBytes)
}

function contentOf(objects: ObjectStore, key: ObjectKey, { packedBytes }: MadeObject) {
  return gather(objects.read(key, 0, packedBytes - 1), Buffer.alloc(packedBytes))
}

async function listed(objects: ObjectStore): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = []
  for await (const object of objects.list()) all.push(object)
  return all
}

async function expectNothing(objects: ObjectStore): Promise<void> {
  expect(await listed(objects)).toEqual([])
  expect(await objects.sweepDrafts(always, true)).toEqual({ count: 0, bytes: 0 })
}

async function* withoutRoom(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of body) {
    yield part
    throw Object.assign(new Error('no room'), { code: 'ENOSPC' })
  }
}

/** A catalogue beside the store: a digest gets its object as an upload gives it, and is collected as maintenance does it. */
function openNamed(objects: ObjectStore) {
  const database = openCatalog(temporaryFolder())
  onTestFinished(() => database.close())
  const change: Removing['change'] = async (work) => {
    const done = await database.change(work)
    if (isRefusal(done)) throw new Error(done.detail)
    return done
  }
  const now = unixSeconds(1_800_000_000)
  const removing: Removing = {
    ...{ objects, change, read: database.read, clock: () => now },
    letReadersEnd: async () => {},
    identity: { check: async () => undefined },
  }
  const named = ({ digest }: MadeObject) => database.read((tables) => objectOf(tables, digest))
  return {
    ...{ objects, removing, named },
    /** As an upload does it. */
    async put(object: MadeObject) {
      const draft = await received(objects, object.bytes)
      const reserved = [{ key: draft.id as string as ObjectKey, bytes: draft.bytes }]
      await change((tables) => reserveObjects(tables, reserved, now))
      return objects.put(draft)
    },
    /** Gives the key that the digest has then. */
    async name(object: MadeObject, key: ObjectKey, isUndone = false, lost?: ObjectKey) {
      const { digest, packedBytes } = object
      await change(async (tables) => {
        const row = { ref_uid: 'ref', hash: digest, repository_uid: 'repository', digest }
        const sizes = { packed_bytes: packedBytes, unpacked_bytes: 2 * packedBytes, chunks: 3 }
        const values = { ...row, ...sizes, written_at: now, stamp: 0 } as never
        const rows = tables.insertInto('stored_xorbs').values(values)
        await rows.onConflict((known) => known.doNothing()).execute()
        expect(await nameObject(tables, digest, { key, lost, now })).toBe(true)
        if (isUndone) throw new Error('undone')
      })
      return named(object)
    },
    dropRows: () => change((tables) => tables.deleteFrom('stored_xorbs').execute()),
    async digestOf(key: ObjectKey) {
      return (await database.read((tables) => digestsOf(tables, [key]))).get(key)
    },
    /** Gives how many objects went. */
    async collect(before = always, through = objects, letReadersEnd = removing.letReadersEnd) {
      const maintenance = { ...removing, objects: through, letReadersEnd }
      const collected = await collectObjects(maintenance, {
        ...{ before, isDryRun: false, keepSeconds: 0 },
      })
      if (isRefusal(collected)) throw new Error(collected.detail)
      return collected.objects.count
    },
  }
}
