/** The table of a xorb's chunks: as it was built, and told apart from anything else. */

import { expect, test } from 'vitest'
import {
  ChunkTable,
  chunkTableBuilder,
  rowsLengthOf,
  tableTrailerLength,
} from '../../src/format/chunk-table.ts'
import { hashAt } from '../../src/format/hash.ts'
import { chunkHash } from '../../src/format/hashing.ts'

const hashes = Array.from({ length: 1000 }, (_, index) => chunkHash(Buffer.from(`${index}`)))

function built(count: number): ChunkTable {
  const builder = chunkTableBuilder()
  for (const [index, hash] of hashes.slice(0, count).entries()) {
    builder.add(hash, index + 1, (index + 1) * 10)
  }
  expect(builder.count).toBe(count)
  return builder.build()
}

test('a trailer of another length or mark is none of ours', () => {
  const trailer = built(3).encoded().subarray(-tableTrailerLength)
  expect(rowsLengthOf(trailer)).toBe(120)
  expect(rowsLengthOf(trailer.subarray(1))).toBeUndefined()
  expect(rowsLengthOf(Buffer.concat([Buffer.alloc(1), trailer.subarray(1)]))).toBeUndefined()
})

test('every row is kept, however many there are', () => {
  for (const count of [1, 63, 64, 65, 128, 129, 1000]) {
    const table = built(count)
    expect(table.count).toBe(count)
    for (let index = 0; index < count; index += 1) {
      const row = [table.hash(index), table.unpackedLength(index), table.packedEnd(index)]
      expect(row).toEqual([hashAt(hashes[index] ?? Buffer.alloc(32)), index + 1, (index + 1) * 10])
    }
  }
})

test('what was written is the same when it is read', () => {
  const encoded = built(200).encoded()
  const read = new ChunkTable(encoded.subarray(0, -tableTrailerLength))
  expect(read.encoded()).toEqual(encoded)
})

test('lengths add up, and a table without rows has none', () => {
  const table = built(10)
  expect(table.packedBytes).toBe(100)
  expect(table.unpackedBytes).toBe(55)
  expect(table.unpackedBetween(2, 4)).toBe(7)
  expect([table.packedStart(0), table.packedStart(3)]).toEqual([0, 30])
  expect([built(0).packedBytes, built(0).unpackedBytes]).toEqual([0, 0])
})

test('a table stays as it was built when the builder goes on', () => {
  const builder = chunkTableBuilder()
  builder.add(hashes[0] ?? Buffer.alloc(32), 1, 10)
  const table = builder.build()
  builder.add(hashes[1] ?? Buffer.alloc(32), 2, 20)
  expect([table.count, builder.build().count]).toEqual([1, 2])
})
