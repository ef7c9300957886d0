/** Memory for packed chunks: blocks that are used again, because new ones keep the garbage collector busy. */

import { allocate } from '#platform/bytes'
import { chunkHeaderLength } from '../format/chunk-header.ts'
import { type ChunkTable, chunkTableBuilder } from '../format/chunk-table.ts'
import { type Hash, hashAt } from '../format/hash.ts'
import { maxChunkBytes, maxXorbChunks } from '../format/limits.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { packBytes, writePacked } from '../format/pack-chunk.ts'
import type { ChunkPlace, KnownXorb } from './known-chunks.ts'

/** Few large parts are sent faster than many small ones. */
const blockBytes = 1024 * 1024
/** A small upload needs no large block. */
const firstBytes = maxChunkBytes + chunkHeaderLength
/** Every allocation may start the garbage collector, so each is four times the last, up to the largest. */
const minBlocks = 4
const maxBlocks = 64

interface BlockPool {
  take(): Uint8Array
  /** For the next `take`: nothing may read them from now on. */
  giveBack(blocks: readonly Uint8Array[]): void
}

export function blockPool(): BlockPool {
  const free: Uint8Array[] = []
  let isFirst = true
  let count = minBlocks
  const addBlocks = () => {
    const memory = allocate(count * blockBytes)
    for (let end = memory.length; end > 0; end -= blockBytes) {
      free.push(memory.subarray(end - blockBytes, end))
    }
    count = Math.min(4 * count, maxBlocks)
  }
  return {
    take() {
      if (isFirst) {
        isFirst = false
        return allocate(firstBytes)
      }
      if (free.length === 0) addBlocks()
      return free.pop() ?? allocate(blockBytes)
    },
    giveBack(blocks) {
      free.push(...blocks.filter(({ length }) => length === blockBytes))
    },
  }
}

interface PackedBlocks {
  /** Gives the packed length, with the header. */
  add(chunk: Uint8Array): number
  /** All that was added, one behind the other. */
  parts(): readonly Uint8Array[]
  /** Gives the blocks back: nothing may read the parts from now on. */
  release(): void
}

function packedBlocks(pool: BlockPool): PackedBlocks {
  const blocks: Uint8Array[] = []
  const full: Uint8Array[] = []
  let block: Uint8Array = new Uint8Array(0)
  let used = 0
  return {
    add(chunk) {
      const packed = packBytes(chunk)
      const length = chunkHeaderLength + packed.bytes.length
      if (used + length > block.length) {
        if (used > 0) full.push(block.subarray(0, used))
        block = pool.take()
        blocks.push(block)
        used = 0
      }
      writePacked(packed, chunk.length, block.subarray(used))
      used += length
      return length
    },
    parts: () => (used === 0 ? full : [...full, block.subarray(0, used)]),
    release: () => pool.giveBack(blocks),
  }
}

/** Chunks that do not get smaller fit as well, with what stands before each. */
export const maxUnpackedBytes = 64 * 1024 * 1024

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

interface OpenXorb {
  /** Bytes of its chunks before they are packed, headers included. */
  readonly unpackedBytes: number
  hasRoomFor(chunkBytes: number): boolean
  add(chunk: Uint8Array, hash: Uint8Array): PackedPlace
  /** Gives it its name; nothing is added afterwards. */
  seal(): SealedXorb
}

export function openXorb(pool: BlockPool): OpenXorb {
  const knownXorb: KnownXorb = { name: undefined, chunks: [] }
  const [tree, table, blocks] = [merkleTree(), chunkTableBuilder(), packedBlocks(pool)]
  let unpacked = 0
  let packed = 0
  return {
    get unpackedBytes() {
      return unpacked
    },
    hasRoomFor: (chunkBytes) =>
      table.count < maxXorbChunks && unpacked + chunkBytes + chunkHeaderLength <= maxUnpackedBytes,
    add(chunk, hash) {
      const packedBytes = blocks.add(chunk)
      unpacked += chunk.length + chunkHeaderLength
      packed += packedBytes
      tree.add(hash, chunk.length)
      table.add(hash, chunk.length, packed)
      const index = knownXorb.chunks.push(hashAt(hash)) - 1
      return { xorb: knownXorb, index, packedBytes }
    },
    seal() {
      knownXorb.name = hashAt(tree.root())
      const { parts, release } = blocks
      return { hash: knownXorb.name, table: table.build(), parts: parts(), release }
    },
  }
}
