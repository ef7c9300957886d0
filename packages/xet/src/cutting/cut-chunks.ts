/** Cuts data into chunks where its content says so: what stays the same is cut in the same way. */

import { mostChunkBytes } from '../format/limits.ts'
import { bytesIn, type GearMemory, gearMemory, gearScan } from './gear-scan.ts'

const shortestChunk = 8 * 1024
/** The hash has 64 bits and moves by one for each byte: older bytes have left it. */
const window = 64

/** Where the chunk ends that begins at `start`, if the data ends at `end`. */
export type EndOfChunk = (start: number, end: number) => number

/** For bytes that are in the memory already; nothing of them is copied. */
export function cutterIn(memory: GearMemory): EndOfChunk {
  const scan = gearScan(memory)
  return (start, end) => {
    const last = Math.min(start + mostChunkBytes, end)
    // What is before the window of the first byte that may end the chunk is not looked at.
    const first = start + shortestChunk - window
    return first >= last ? last : scan(first, Math.min(first + window - 1, last), last)
  }
}

/** Where chunks end from `start` on, as far as that is sure; at the end of the data everything is. */
export function* endsBetween(
  endOf: EndOfChunk,
  data: { readonly start: number; readonly end: number },
  isWhole: boolean,
): Generator<number> {
  // With so much left the chunk ends within it, whatever follows.
  const least = isWhole ? 1 : mostChunkBytes
  let { start } = data
  while (data.end - start >= least) {
    start = endOf(start, data.end)
    yield start
  }
}

/** Of data that is whole, in any memory. */
export function chunkEnds(bytes: Uint8Array): Generator<number> {
  return endsBetween((start) => endOfChunk(bytes, start), { start: 0, end: bytes.length }, true)
}

/** For bytes in any memory: they are copied to one where they can be looked at. */
export function endOfChunk(bytes: Uint8Array, start: number): number {
  room ??= openRoom()
  const some = bytes.subarray(start, start + mostChunkBytes)
  room.bytes.set(some)
  return start + room.endOf(0, some.length)
}

/** Opened when it is needed first: large files never need it. */
let room: ReturnType<typeof openRoom> | undefined

function openRoom() {
  const memory = gearMemory(mostChunkBytes)
  return { bytes: bytesIn(memory), endOf: cutterIn(memory) }
}
