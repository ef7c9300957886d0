/** A piece that the storage cuts and packs: its work is bounded, whatever its bytes are. */

import { createHash } from 'node:crypto'
import { randomBytes } from '@latchkey/testing/xet/making'
import { expect, test } from 'vitest'
import { chunkTableBuilder } from '../../src/format/chunk-table.ts'
import { bytesOfHash, type Hash, hashAt } from '../../src/format/hash.ts'
import { writeDedupShard } from '../../src/format/write-shard.ts'
import { maxShards, packPiece } from '../../src/pieces/pack-piece.ts'

/** A xorb that has this chunk alone, so that the next chunk is looked up, too. */
function shardOf(chunk: Hash): Uint8Array {
  const table = chunkTableBuilder()
  table.add(bytesOfHash(chunk), 65_536, 65_536)
  const hash = hashAt(createHash('sha256').update(chunk).digest())
  return writeDedupShard([{ hash, table: table.build() }], { createdAt: 0, expiresAt: 1 })
}

test('a body that repeats single chunks of many files reads a bounded number of shards', async () => {
  const body = randomBytes('scattered', 5 * 1024 * 1024)
  let [at, shards] = [0, 0]
  const { terms, xorb } = await packPiece(
    {
      read(into) {
        const length = body.copy(into, 0, at, at + into.length)
        at += length
        return length
      },
      write() {},
      async findChunk(chunk) {
        shards += 1
        return shardOf(chunk)
      },
    },
    { state: undefined, isLast: true },
  )
  expect(shards).toBe(maxShards)
  expect(terms).toHaveLength(maxShards + 1)
  expect(xorb?.bytes).toBeGreaterThan(1024 * 1024)
})
