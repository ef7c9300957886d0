/** A xorb that is being filled: chunks are packed into blocks of memory one behind the other. */

import { chunkHeaderLength } from '../format/chunk-header.ts'
import { type ChunkTable, chunkTableBuilder } from '../format/chunk-table.ts'
import { type Hash, hashAt } from '../format/hash.ts'
import { mostXorbChunks } from '../format/limits.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import type { ChunkPlace, KnownXorb } from './known-chunks.ts'
import { type BlockPool, packedBlocks } from './packed-blocks.ts'

/** Chunks that do not get smaller fit as well, with what stands before each. */
export const mostUnpackedBytes = 64 * 1024 * 1024

export interface PackedPlace extends ChunkPlace {
  readonly packedBytes: number
}

export interface SealedXorb {
  readonly hash: Hash
  readonly table: ChunkTable
  readonly parts: readonly Uint8Array[]
  /** The memory of the parts is used for another xorb. */
  release(): void
}

export interface OpenXorb {
  /** What its chunks take before they are packed, headers included. */
  readonly unpackedBytes: number
  hasRoomFor(chunkBytes: number): boolean
  add(chunk: Uint8Array, hash: Uint8Array): PackedPlace
  /** Gives it its name; nothing is added afterwards. */
  seal(): SealedXorb
}

export function openXorb(pool: BlockPool): OpenXorb {
  const known: KnownXorb = { name: undefined, chunks: [] }
  const [tree, table, blocks] = [merkleTree(), chunkTableBuilder(), packedBlocks(pool)]
  let unpacked = 0
  let packed = 0
  return {
    get unpackedBytes() {
      return unpacked
    },
    hasRoomFor: (chunkBytes) =>
      table.count < mostXorbChunks &&
      unpacked + chunkBytes + chunkHeaderLength <= mostUnpackedBytes,
    add(chunk, hash) {
      const packedBytes = blocks.add(chunk)
      unpacked += chunk.length + chunkHeaderLength
      packed += packedBytes
      tree.add(hash, chunk.length)
      table.add(hash, chunk.length, packed)
      const index = known.chunks.push(hashAt(hash)) - 1
      return { xorb: known, index, packedBytes }
    },
    seal() {
      known.name = hashAt(tree.root())
      const { parts, release } = blocks
      return { hash: known.name, table: table.build(), parts: parts(), release }
    },
  }
}
