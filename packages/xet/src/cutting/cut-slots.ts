/** Cuts and hashes data that comes in slots of memory: what no chunk ends in goes on in the next slot. */

import { hashLength } from '../format/hash.ts'
import { chunkHash } from '../format/hashing.ts'
import { maxChunkBytes } from '../format/limits.ts'
import { bytesIn, type GearMemory, gearMemory, gearScan } from './gear-scan.ts'

const minChunk = 8 * 1024
/** The hash has 64 bits and moves by one for each byte: older bytes have left it. */
const window = 64

/** Opened when it is needed first: large files never need it. */
let room: ReturnType<typeof openRoom> | undefined

/** A slot begins with room for what is left of the slot before. */
export const slotMargin = maxChunkBytes
export const slotBytes = 1024 * 1024
export const slotLength = slotMargin + slotBytes

export interface FilledSlot {
  /** How many bytes stand behind the margin. */
  readonly length: number
  readonly isLast: boolean
  /** The rest of the slot before, if another cutter has cut that one. */
  readonly rest?: Uint8Array | undefined
}

/** A slot of a file that one cutter or another cuts. */
interface FileSlot extends Omit<FilledSlot, 'rest'> {
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
interface SlotCutter {
  cut(slot: number, filled: FilledSlot): CutSlot
  /** The rest of the last slot. */
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

/** Where the chunk ends that begins at `start`, if the data ends at `end`. */
type EndOfChunk = (start: number, end: number) => number

/** For bytes that are in the memory already; nothing of them is copied. */
function cutterIn(memory: GearMemory): EndOfChunk {
  const scan = gearScan(memory)
  return (start, end) => {
    const last = Math.min(start + maxChunkBytes, end)
    // What is before the window of the first byte that may end the chunk is not looked at.
    const first = start + minChunk - window
    return first >= last ? last : scan(first, Math.min(first + window - 1, last), last)
  }
}

/** Where chunks end from `start` on, as far as that is sure; at the end of the data everything is. */
function* endsBetween(
  endOf: EndOfChunk,
  data: { readonly start: number; readonly end: number },
  isWhole: boolean,
): Generator<number> {
  // With so much left the chunk ends within it, whatever follows.
  const least = isWhole ? 1 : maxChunkBytes
  let { start } = data
  while (data.end - start >= least) {
    start = endOf(start, data.end)
    yield start
  }
}

/** Ends of the chunks of complete data, in any memory. */
export function chunkEnds(bytes: Uint8Array): Generator<number> {
  return endsBetween((start) => endOfChunk(bytes, start), { start: 0, end: bytes.length }, true)
}

/** For bytes in any memory: they are copied to one where they can be looked at. */
export function endOfChunk(bytes: Uint8Array, start: number): number {
  room ??= openRoom()
  const some = bytes.subarray(start, start + maxChunkBytes)
  room.bytes.set(some)
  return start + room.endOf(0, some.length)
}

function openRoom() {
  const memory = gearMemory(maxChunkBytes)
  return { bytes: bytesIn(memory), endOf: cutterIn(memory) }
}
