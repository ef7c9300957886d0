/** Objects as files: for their owner alone, in folders that are there from the start, by equal work for equal lengths. */

import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import type { DraftId, ObjectKey } from '../../src/objects/object-store.ts'
import { anObject, openDisk, put, received } from './disk-world.ts'
import { namedOperationsDuring } from './named-operations.ts'

const placeOf = (key: string) => `${key.slice(0, 2)}/${key}`

describe('a name that is no key', () => {
  test.each(['', '..', '../../etc/passwd', 'A'.repeat(32), 'a'.repeat(31), `${'a'.repeat(32)}\n`])(
    'reaches no file: %j',
    async (name) => {
      const { objects, files } = openDisk()
      await received(objects, Buffer.alloc(1))
      const [key, id] = [name as ObjectKey, name as DraftId]
      await expect(objects.put({ id, bytes: 1, async discard() {} })).rejects.toThrow(TypeError)
      await expect(objects.sizeOf(key)).rejects.toThrow(TypeError)
      await expect(objects.table(key)).rejects.toThrow(TypeError)
      await expect(objects.remove(key)).rejects.toThrow(TypeError)
      expect(() => objects.read(key, 0, 1)).toThrow(TypeError)
      expect(() => objects.readDraft(id)).toThrow(TypeError)
      expect(() => objects.openDraft(id)).toThrow(TypeError)
      expect(Object.keys(files())).toHaveLength(1)
    },
  )
})

test('an object lies in a folder for its owner alone', async () => {
  const { root, objects, files } = openDisk()
  const place = placeOf(await put(objects, anObject('a')))
  expect(files()).toEqual({ [place]: '600' })
  expect(statSync(join(root, dirname(place))).mode & 0o777).toBe(0o700)
})

test('folders that came from elsewhere are used as they are', async () => {
  const { root, objects } = openDisk()
  await put(objects, anObject('a'))
  writeFileSync(join(root, 'stranger'), 'left alone')
  expect(await objects.sizeOf(await put(objects, anObject('b')))).toBe(anObject('b').bytes.length)
})

// conformance: Guarantees / No file operation shows that another repository has the same bytes
// conformance: Attacks / 41. An attacker detects known content by file operations
test('every object takes the same file operations, in an empty store too', async () => {
  const { objects } = openDisk()
  await objects.prepare()
  for (const word of ['first', 'first', 'second', ...Array.from({ length: 20 }, String)]) {
    const draft = await received(objects, anObject(word).bytes)
    const putting = await namedOperationsDuring(() => objects.put(draft))
    expect(putting).toEqual(['open', 'sync', 'rename', 'open', 'sync'])
  }
})

test('what a restore that was killed has copied in part is swept like a draft', async () => {
  const { root, objects, files } = openDisk()
  const key = await put(objects, anObject('a'))
  mkdirSync(join(root, '00'), { recursive: true })
  writeFileSync(join(root, '00', `${'0'.repeat(32)}.copy`), 'part')
  const swept = await objects.sweepDrafts(unixSeconds(9_999_999_999), false)
  expect(swept).toEqual({ count: 1, bytes: 4 })
  expect(Object.keys(files())).toEqual([placeOf(key)])
})
