/** Cuts and hashes data that comes in slots of memory: what no chunk ends in goes on in the next slot. */

import { createHash } from 'node:crypto'
import { hashLength } from '../format/hash.ts'
import { chunkHash } from '../format/hashing.ts'
import { mostChunkBytes } from '../format/limits.ts'
import { chunkEnds } from './cut-chunks.ts'

/** A slot begins with room for what is left of the slot before. */
export const slotMargin = mostChunkBytes
export const slotBytes = 1024 * 1024
export const slotLength = slotMargin + slotBytes

export interface FilledSlot {
  /** How many bytes stand behind the margin. */
  readonly length: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** The chunks that end in a slot: from `start` to each of the `ends`, with their hashes one behind the other. */
export interface CutSlot {
  readonly start: number
  readonly ends: readonly number[]
  readonly hashes: Uint8Array<ArrayBuffer>
  /** Of all of the data, with the last slot. */
  readonly sha256: Uint8Array | undefined
}

/** The slots of one file after the other. */
export function slotCutter(): (slot: Buffer, filled: FilledSlot) => CutSlot {
  let rest: Uint8Array = Buffer.alloc(0)
  let sha256 = createHash('sha256')
  return (slot, { length, isFirst, isLast }) => {
    if (isFirst) {
      rest = Buffer.alloc(0)
      sha256 = createHash('sha256')
    }
    sha256.update(slot.subarray(slotMargin, slotMargin + length))
    const start = slotMargin - rest.length
    slot.set(rest, start)
    const bytes = slot.subarray(start, slotMargin + length)
    const ends = [...chunkEnds(bytes, isLast)]
    rest = Buffer.from(bytes.subarray(ends.at(-1) ?? 0))
    const hashes = hashesOf(bytes, ends)
    return {
      start,
      ends: ends.map((end) => start + end),
      hashes,
      sha256: isLast ? sha256.digest() : undefined,
    }
  }
}

function hashesOf(bytes: Buffer, ends: readonly number[]): Uint8Array<ArrayBuffer> {
  const hashes = new Uint8Array(ends.length * hashLength)
  for (const [index, end] of ends.entries()) {
    const chunk = bytes.subarray(ends[index - 1] ?? 0, end)
    hashes.set(chunkHash(chunk), index * hashLength)
  }
  return hashes
}
