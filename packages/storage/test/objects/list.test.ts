/** Everything that takes room is met: objects by their key, drafts by their age. */

import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unixSeconds } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { placeOf } from '../../src/objects/disk/places.ts'
import type { ObjectStore, StoredObject } from '../../src/objects/object-store.ts'
import { anObject, openDisk, put, received } from './disk-world.ts'

async function listed(objects: ObjectStore): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = []
  for await (const object of objects.list()) all.push(object)
  return all
}

test('a directory that is not there yet is empty, and is not made by looking', async () => {
  const { objects } = openDisk()
  expect(await listed(objects)).toEqual([])
  expect(await objects.sweepDrafts(unixSeconds(9_999_999_999), false)).toEqual({
    count: 0,
    bytes: 0,
  })
  expect(await listed(objects)).toEqual([])
})

test('strangers and drafts are no objects', async () => {
  const { root, objects } = openDisk()
  const made = anObject('a')
  const key = await put(objects, made)
  await received(objects, made.bytes)
  writeFileSync(join(root, 'README'), '')
  mkdirSync(join(root, 'zz'))
  const { folder } = placeOf(root, key)
  writeFileSync(join(folder, 'b'.repeat(31)), '')
  writeFileSync(join(folder, 'g'.repeat(32)), '')
  // Under a key, in a folder where that key does not belong.
  const elsewhere = folder.endsWith('00') ? '1' : '0'
  writeFileSync(join(folder, elsewhere.repeat(32)), '')
  expect((await listed(objects)).map((object) => object.key)).toEqual([key])
})

test('objects that go while they are listed are passed over', async () => {
  const { root, objects } = openDisk()
  for (let n = 0; n < 20; n += 1) await put(objects, anObject(`object ${n}`))
  const seen: string[] = []
  for await (const { key } of objects.list()) {
    seen.push(key)
    for (const other of await listed(objects)) {
      if (other.key !== key) rmSync(placeOf(root, other.key).file)
    }
  }
  expect(seen).toHaveLength(1)
})

test('old drafts are swept, young ones are not, and a dry run removes none', async () => {
  const { root, objects, files } = openDisk()
  const [old, young] = [
    await received(objects, Buffer.alloc(10)),
    await received(objects, Buffer.alloc(20)),
  ]
  utimesSync(join(root, 'drafts', old.id), 1000, 1000)
  utimesSync(join(root, 'drafts', young.id), 2000, 2000)
  expect(await objects.sweepDrafts(unixSeconds(2000), true)).toEqual({ count: 1, bytes: 10 })
  expect(Object.keys(files())).toHaveLength(2)
  expect(await objects.sweepDrafts(unixSeconds(2000), false)).toEqual({ count: 1, bytes: 10 })
  expect(Object.keys(files()).map((path) => path.split('/').at(-1))).toEqual([young.id])
})
