/** An object appears whole, under its digest, and is never replaced. */

import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Digest } from '../../src/objects/port.ts'
import { anObject, kept, openDisk, received } from './disk-world.ts'

const placeOf = (digest: string) => `${digest.slice(0, 2)}/${digest}`

describe('a name that is no digest', () => {
  test.each(['', '..', '../../etc/passwd', 'A'.repeat(64), 'a'.repeat(63), `${'a'.repeat(64)}\n`])(
    'reaches no file: %j',
    async (name) => {
      const { objects, files } = openDisk()
      const draft = await received(objects, Buffer.alloc(1))
      const digest = name as Digest
      await expect(objects.keep(draft, digest)).rejects.toThrow(TypeError)
      await expect(objects.has(digest)).rejects.toThrow(TypeError)
      await expect(objects.table(digest)).rejects.toThrow(TypeError)
      await expect(objects.remove(digest)).rejects.toThrow(TypeError)
      expect(() => objects.read(digest, 0, 1)).toThrow(TypeError)
      expect(Object.keys(files())).toHaveLength(1)
    },
  )
})

describe('an object', () => {
  test('lies in a folder for its owner alone', async () => {
    const { root, objects, files } = openDisk()
    const made = anObject('a')
    await kept(objects, made)
    const place = placeOf(made.digest)
    expect(files()).toEqual({ [place]: '600' })
    expect(statSync(join(root, dirname(place))).mode & 0o777).toBe(0o700)
  })

  test('stays the one it is when it is uploaded again, and the new draft is gone', async () => {
    const { root, objects, files } = openDisk()
    const made = anObject('a')
    await kept(objects, made)
    const first = statSync(join(root, placeOf(made.digest)))
    await kept(objects, made)
    expect(statSync(join(root, placeOf(made.digest))).ino).toBe(first.ino)
    expect(Object.keys(files())).toHaveLength(1)
  })

  test('that lost bytes is made whole by the next upload', async () => {
    const { root, objects } = openDisk()
    const made = anObject('a')
    await kept(objects, made)
    truncateSync(join(root, placeOf(made.digest)), 10)
    await kept(objects, made)
    expect(readFileSync(join(root, placeOf(made.digest)))).toEqual(made.bytes)
  })

  test('can be kept again after a change that was undone', async () => {
    const { objects } = openDisk()
    const made = anObject('a')
    const draft = await received(objects, made.bytes)
    await objects.keep(draft, made.digest)
    await objects.keep(draft, made.digest)
    await draft.discard()
    expect(await objects.has(made.digest)).toBe(true)
  })

  test('is not there when its draft was lost', async () => {
    const { objects } = openDisk()
    const made = anObject('a')
    const draft = await received(objects, made.bytes)
    await draft.discard()
    await expect(objects.keep(draft, made.digest)).rejects.toThrow('ENOENT')
    expect(await objects.has(made.digest)).toBe(false)
  })

  test('is gone when it was removed, once or twice', async () => {
    const { objects, files } = openDisk()
    const made = anObject('a')
    await kept(objects, made)
    await objects.remove(made.digest)
    await objects.remove(made.digest)
    expect(await objects.has(made.digest)).toBe(false)
    expect(files()).toEqual({})
  })
})

test('twenty uploads of the same bytes at once leave one object and no draft', async () => {
  const { root, objects, files } = openDisk()
  const made = anObject('a')
  await Promise.all(Array.from({ length: 20 }, () => kept(objects, made)))
  expect(Object.keys(files())).toEqual([placeOf(made.digest)])
  expect(readFileSync(join(root, placeOf(made.digest)))).toEqual(made.bytes)
})

test('folders that came from elsewhere are used as they are', async () => {
  const { root, objects } = openDisk()
  const [one, two] = [anObject('a'), anObject('b')]
  await kept(objects, one)
  writeFileSync(join(root, 'stranger'), 'left alone')
  await kept(objects, two)
  expect(await objects.has(two.digest)).toBe(true)
})
