/** A xorb that is being filled: chunks are packed into blocks of memory one behind the other. */

import { chunkHeaderLength } from '../format/chunk-header.ts'
import { type ChunkTable, chunkTableBuilder } from '../format/chunk-table.ts'
import { type Hash, hashAt } from '../format/hash.ts'
import { mostChunkBytes, mostXorbChunks } from '../format/limits.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { packBytes, writePacked } from '../format/pack-chunk.ts'
import type { ChunkPlace, KnownXorb } from './known-chunks.ts'

/** Chunks that do not get smaller fit as well, with what stands before each. */
export const mostUnpackedBytes = 64 * 1024 * 1024

/** Few large parts are sent faster than many small ones. */
const blockBytes = 1024 * 1024

export interface PackedPlace extends ChunkPlace {
  readonly packedBytes: number
}

export interface SealedXorb {
  readonly hash: Hash
  readonly table: ChunkTable
  readonly parts: readonly Buffer[]
}

export interface OpenXorb {
  /** What its chunks take before they are packed, headers included. */
  readonly unpackedBytes: number
  hasRoomFor(chunkBytes: number): boolean
  add(chunk: Uint8Array, hash: Uint8Array): PackedPlace
  /** Gives it its name; nothing is added afterwards. */
  seal(): SealedXorb
}

export function openXorb(): OpenXorb {
  const known: KnownXorb = { name: undefined, chunks: [] }
  const [tree, table, blocks] = [merkleTree(), chunkTableBuilder(), packedBlocks()]
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
      return { hash: known.name, table: table.build(), parts: blocks.parts() }
    },
  }
}

/** Blocks that were not full when the next chunk came are cut off there. */
function packedBlocks() {
  const full: Buffer[] = []
  let block = Buffer.alloc(0)
  let used = 0
  return {
    /** Gives what the chunk takes, with its header. */
    add(chunk: Uint8Array): number {
      const packed = packBytes(chunk)
      const length = chunkHeaderLength + packed.bytes.length
      if (used + length > block.length) {
        if (used > 0) full.push(block.subarray(0, used))
        // A small upload needs no large block.
        const isFirst = block.length === 0
        block = Buffer.allocUnsafeSlow(isFirst ? mostChunkBytes + chunkHeaderLength : blockBytes)
        used = 0
      }
      writePacked(packed, chunk.length, block.subarray(used))
      used += length
      return length
    },
    parts: () => (used === 0 ? full : [...full, block.subarray(0, used)]),
  }
}
