/** What was kept is read back in ranges, with a chunk table that is believed only if it fits. */

import { writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { placeOf } from '../../src/objects/disk/places.ts'
import { anObject, type DiskWorld, kept, openDisk } from './disk-world.ts'

const made = anObject('a', [100, 50, 7])
const rowsAt = made.packedBytes
const trailerAt = made.bytes.length - 24

async function withBytes(change: (bytes: Buffer) => Buffer): Promise<DiskWorld> {
  const world = openDisk()
  await kept(world.objects, made)
  writeFileSync(placeOf(world.root, made.digest).file, change(Buffer.from(made.bytes)))
  return world
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
    const { objects } = await withBytes(change)
    await expect(objects.table(made.digest)).rejects.toThrow('damaged')
  })

  test('and read anew when the object is whole again', async () => {
    const { objects } = await withBytes((bytes) => bytes.subarray(0, -1))
    await expect(objects.table(made.digest)).rejects.toThrow('damaged')
    await kept(objects, made)
    expect((await objects.table(made.digest)).count).toBe(3)
  })
})

describe('an object that is not there', () => {
  test('has no table and gives no bytes', async () => {
    const { objects } = openDisk()
    await expect(objects.table(made.digest)).rejects.toThrow('ENOENT')
    await expect(buffer(objects.read(made.digest, 0, 1))).rejects.toThrow('ENOENT')
  })
})

test('a range has its first and its last byte', async () => {
  const { objects } = openDisk()
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
  await kept(objects, { ...made, bytes })
  expect(await buffer(objects.read(made.digest, 10, 19))).toEqual(bytes.subarray(10, 20))
  expect(await buffer(objects.read(made.digest, 255, 255))).toEqual(bytes.subarray(255))
})

test('many reads at once, some of them broken off, each get their own bytes', async () => {
  const { objects } = openDisk()
  const length = 600_000
  const bytes = Buffer.from(Uint32Array.from({ length: length / 4 }, (_, n) => n).buffer)
  await kept(objects, { ...made, bytes })
  const readAll = async (start: number) => {
    let at = start
    for await (const part of objects.read(made.digest, start, length - 1)) {
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

test('a table says where every chunk lies', async () => {
  const { objects } = openDisk()
  await kept(objects, made)
  const table = await objects.table(made.digest)
  expect([table.count, table.packedBytes]).toEqual([3, 157])
  const ranges = [0, 1, 2].map((n) => [table.packedStart(n), table.packedEnd(n)])
  expect(ranges).toEqual([
    [0, 100],
    [100, 150],
    [150, 157],
  ])
  expect(table.unpackedBetween(0, 3)).toBe(314)
})

test('a table is read once, however many ask for it at once, and not after its object is gone', async () => {
  const { objects } = openDisk()
  await kept(objects, made)
  const tables = await Promise.all(Array.from({ length: 10 }, () => objects.table(made.digest)))
  expect(new Set(tables).size).toBe(1)
  await objects.remove(made.digest)
  await expect(objects.table(made.digest)).rejects.toThrow('ENOENT')
})
