/** What was kept is read back in ranges, with a chunk table that is believed only if it fits. */

import { writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { placeOf } from '../../src/objects/disk/places.ts'
import { anObject, openDisk, put } from './disk-world.ts'

const made = anObject('a', [100, 50, 7])
const rowsAt = made.packedBytes
const trailerAt = made.bytes.length - 24

async function withBytes(change: (bytes: Buffer) => Buffer) {
  const { root, objects } = openDisk()
  const key = await put(objects, made)
  const { file } = placeOf(root, key)
  writeFileSync(file, change(Buffer.from(made.bytes)))
  return { objects, key, file }
}

describe('a damaged table is refused', () => {
  const write = (at: number, value: number) => (bytes: Buffer) => {
    bytes.writeUInt32LE(value, at)
    return bytes
  }
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['an empty file', () => Buffer.alloc(0)],
    ['a file shorter than any', (bytes) => bytes.subarray(0, 23)],
    ['a cut end', (bytes) => bytes.subarray(0, -1)],
    ['bytes behind it', (bytes) => Buffer.concat([bytes, Buffer.alloc(1)])],
    ['bytes missing before it', (bytes) => bytes.subarray(1)],
    ['another mark', write(trailerAt, 1)],
    ['no rows', write(trailerAt + 8, 0)],
    ['one row less', write(trailerAt + 8, 2)],
    ['more rows than there are bytes', write(trailerAt + 8, 0xffff_ffff)],
    ['another length of the chunks', write(trailerAt + 16, 156)],
    ['a chunk that ends before it begins', write(rowsAt + 40 + 36, 99)],
    ['a chunk without bytes', write(rowsAt + 40 + 36, 100)],
    ['a last chunk that ends elsewhere', write(rowsAt + 80 + 36, 158)],
  ])('%s', async (_, change) => {
    const { objects, key } = await withBytes(change)
    await expect(objects.table(key)).rejects.toThrow('damaged')
  })

  test('and read anew when the object is whole again', async () => {
    const { objects, key, file } = await withBytes((bytes) => bytes.subarray(0, -1))
    await expect(objects.table(key)).rejects.toThrow('damaged')
    writeFileSync(file, made.bytes)
    expect((await objects.table(key)).count).toBe(3)
  })
})

test('many reads at once, some of them broken off, each get their own bytes', async () => {
  const { objects } = openDisk()
  const length = 600_000
  const bytes = Buffer.from(Uint32Array.from({ length: length / 4 }, (_, n) => n).buffer)
  const key = await put(objects, { ...made, bytes })
  const readAll = async (start: number) => {
    let at = start
    for await (const part of objects.read(key, start, length - 1)) {
      expect(bytes.subarray(at, at + part.length).equals(part)).toBe(true)
      at += part.length
      if (start % 3 === 1) return
      await setImmediate()
    }
    expect(at).toBe(length)
  }
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(Array.from({ length: 150 }, (_, start) => readAll(start * 7)))
  }
})

test('a table is read once, however many ask for it at once', async () => {
  const { objects } = openDisk()
  const key = await put(objects, made)
  const tables = await Promise.all(Array.from({ length: 10 }, () => objects.table(key)))
  expect(new Set(tables).size).toBe(1)
})
