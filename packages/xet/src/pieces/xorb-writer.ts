/** Writes a xorb chunk by chunk as it is packed, so that none of it stays in memory. */

import { allocate } from '#platform/bytes'
import { chunkHeaderLength } from '../format/chunk-header.ts'
import { type Hash, hashAt } from '../format/hash.ts'
import { maxChunkBytes } from '../format/limits.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { packBytes, writePacked } from '../format/pack-chunk.ts'
import type { ChunkPlace, KnownXorb } from '../upload/known-chunks.ts'

export interface PackedXorb {
  readonly hash: Hash
  readonly bytes: number
}

export interface XorbWriter {
  isEmpty(): boolean
  add(chunk: Uint8Array, hash: Uint8Array): ChunkPlace
  /** Gives it its name; undefined for one without chunks. */
  seal(): PackedXorb | undefined
}

export function xorbWriter(write: (bytes: Uint8Array) => void): XorbWriter {
  const xorb: KnownXorb = { name: undefined, chunks: [] }
  const tree = merkleTree()
  const room = allocate(chunkHeaderLength + maxChunkBytes)
  let bytes = 0
  return {
    isEmpty: () => bytes === 0,
    add(chunk, hash) {
      const packed = packBytes(chunk)
      const length = chunkHeaderLength + packed.bytes.length
      writePacked(packed, chunk.length, room)
      write(room.subarray(0, length))
      bytes += length
      tree.add(hash, chunk.length)
      return { xorb, index: xorb.chunks.push(hashAt(hash)) - 1 }
    },
    seal() {
      if (bytes === 0) return undefined
      xorb.name = hashAt(tree.root())
      return { hash: xorb.name, bytes }
    },
  }
}
