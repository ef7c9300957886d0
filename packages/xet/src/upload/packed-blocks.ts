/** Memory for packed chunks: blocks that are used again, because new ones keep the garbage collector busy. */

import { allocate } from '#platform/bytes'
import { chunkHeaderLength } from '../format/chunk-header.ts'
import { mostChunkBytes } from '../format/limits.ts'
import { packBytes, writePacked } from '../format/pack-chunk.ts'

/** Few large parts are sent faster than many small ones. */
const blockBytes = 1024 * 1024
/** A small upload needs no large block. */
const firstBytes = mostChunkBytes + chunkHeaderLength
/** Every allocation may start the garbage collector, so each is four times the last, up to the largest. */
const fewestBlocks = 4
const mostBlocks = 64

export interface BlockPool {
  take(): Uint8Array
  /** For the next `take`: nothing may read them from now on. */
  giveBack(blocks: readonly Uint8Array[]): void
}

export function blockPool(): BlockPool {
  const free: Uint8Array[] = []
  let isFirst = true
  let count = fewestBlocks
  const addBlocks = () => {
    const memory = allocate(count * blockBytes)
    for (let end = memory.length; end > 0; end -= blockBytes) {
      free.push(memory.subarray(end - blockBytes, end))
    }
    count = Math.min(4 * count, mostBlocks)
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

export interface PackedBlocks {
  /** Gives the packed length, with the header. */
  add(chunk: Uint8Array): number
  /** All that was added, one behind the other. */
  parts(): readonly Uint8Array[]
  /** Gives the blocks back: nothing may read the parts from now on. */
  release(): void
}

export function packedBlocks(pool: BlockPool): PackedBlocks {
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
