import { expect, it } from 'vitest'
import { ChunkTable } from '../../src/format/chunk-table.ts'
import { isFormatError } from '../../src/format/format-error.ts'
import { type Hash, hashAt } from '../../src/format/hash.ts'
import { readShard } from '../../src/format/read-shard.ts'
import { type MadeFile, shardOf } from '../../src/upload/shard-of.ts'

const hash = hashAt(Buffer.alloc(32, 1))

function fileIn(name: Hash | undefined): MadeFile {
  const term = { xorb: { name, chunks: [] }, start: 0, end: 1, unpackedBytes: 1 }
  return {
    hash,
    terms: [{ ...term, proof: Buffer.alloc(32) }],
    sha256: Buffer.alloc(32),
    isNew: true,
  }
}

async function kindsIn(shard: Uint8Array): Promise<string[]> {
  const kinds: string[] = []
  for await (const part of readShard(inOnePiece(shard)))
    kinds.push(isFormatError(part) ? part.flaw : part.kind)
  return kinds
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

it('no file refers to a xorb that was never complete', () => {
  expect(() => shardOf([fileIn(undefined)], [])).toThrow('a xorb was never complete')
})

it('no shard is longer than 64 MiB: xorbs that do not fit are left out of the list', async () => {
  const table = new ChunkTable(Buffer.alloc(8192 * 40))
  const xorbs = Array.from({ length: 200 }, () => ({ hash, table }))
  const { shard } = shardOf([fileIn(hash)], xorbs)
  expect(shard.length).toBeLessThanOrEqual(64 * 1024 * 1024)
  expect((await kindsIn(shard)).filter((kind) => kind === 'xorb')).toHaveLength(170)
})
