/** Cuts and hashes data that comes in slots of memory: what no chunk ends in goes on in the next slot. */

import { hashLength } from '../format/hash.ts'
import { chunkHash } from '../format/hashing.ts'
import { mostChunkBytes } from '../format/limits.ts'
import { chunkEnds, cutterIn, endsBetween } from './cut-chunks.ts'
import { bytesIn, type GearMemory, gearMemory } from './gear-scan.ts'

/** A slot begins with room for what is left of the slot before. */
export const slotMargin = mostChunkBytes
export const slotBytes = 1024 * 1024
export const slotLength = slotMargin + slotBytes

export interface FilledSlot {
  /** How many bytes stand behind the margin. */
  readonly length: number
  readonly isLast: boolean
  /** What is left of the slot before, where this cutter has not cut that one. */
  readonly rest?: Uint8Array | undefined
}

/** A slot of a file that one cutter or another cuts. */
export interface FileSlot extends Omit<FilledSlot, 'rest'> {
  readonly isFirst: boolean
}

/** The chunks that end in a slot: from `start` to each of the `ends`, with their hashes one behind the other. */
export interface CutSlot {
  readonly start: number
  readonly ends: readonly number[]
  readonly hashes: Uint8Array<ArrayBuffer>
}

/** Cuts slots by a thread where the platform has one that can share memory, else on the calling thread. */
export interface SlotThread {
  readonly slots: readonly Uint8Array[]
  /** Answers come in the order of the calls. */
  cut(slot: number, filled: FileSlot): Promise<CutSlot>
  /** Slots that are not cut yet fail. */
  end(): void
}

/** Memory for so many slots, for the thread that fills them and the one that cuts them. */
export function slotMemory(count: number): GearMemory {
  return gearMemory(count * slotLength)
}

export function slotsIn(memory: GearMemory, count: number): readonly Uint8Array[] {
  const bytes = bytesIn(memory)
  return Array.from({ length: count }, (_, slot) =>
    bytes.subarray(slot * slotLength, (slot + 1) * slotLength),
  )
}

/** Cuts the slots of one file after the other. */
export interface SlotCutter {
  cut(slot: number, filled: FilledSlot): CutSlot
  /** What is left of the last slot. */
  rest(): Uint8Array
}

export function slotCutter(memory: GearMemory): SlotCutter {
  const [bytes, endOf] = [bytesIn(memory), cutterIn(memory)]
  let left: Uint8Array = new Uint8Array(0)
  return {
    cut(slot, { length, isLast, rest = left }) {
      const base = slot * slotLength
      const end = base + slotMargin + length
      const start = base + slotMargin - rest.length
      bytes.set(rest, start)
      const ends = [...endsBetween(endOf, { start, end }, isLast)]
      left = new Uint8Array(bytes.subarray(ends.at(-1) ?? start, end))
      return {
        start: start - base,
        ends: ends.map((one) => one - base),
        hashes: hashesOf(bytes, start, ends),
      }
    },
    rest: () => left,
  }
}

/** Cuts a file that is whole in a slot, which may be in any memory. */
export function cutWhole(slot: Uint8Array, length: number): CutSlot {
  const bytes = slot.subarray(slotMargin, slotMargin + length)
  const ends = [...chunkEnds(bytes)]
  return {
    start: slotMargin,
    ends: ends.map((end) => slotMargin + end),
    hashes: hashesOf(bytes, 0, ends),
  }
}

function hashesOf(
  bytes: Uint8Array,
  start: number,
  ends: readonly number[],
): Uint8Array<ArrayBuffer> {
  const hashes = new Uint8Array(ends.length * hashLength)
  for (const [index, end] of ends.entries()) {
    const chunk = bytes.subarray(ends[index - 1] ?? start, end)
    hashes.set(chunkHash(chunk), index * hashLength)
  }
  return hashes
}
