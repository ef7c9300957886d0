/** Cuts data into chunks where its content says so: what stays the same is cut in the same way. */

import { mostChunkBytes } from '../format/limits.ts'
import { mostScanned, resetHash, scanForEnd } from './gear-scan.ts'

const shortestChunk = 8 * 1024
/** The hash has 64 bits and moves by one for each byte: older bytes have left it. */
const window = 64

/** Where chunks end, as far as that is sure; at the end of the data everything is. */
export function* chunkEnds(bytes: Uint8Array, isWhole: boolean): Generator<number> {
  // With so much left the chunk ends within it, whatever follows.
  const least = isWhole ? 1 : mostChunkBytes
  let start = 0
  while (bytes.length - start >= least) {
    start = endOfChunk(bytes, start)
    yield start
  }
}

/** What is before the window of the first byte that may end the chunk is not looked at. */
export function endOfChunk(bytes: Uint8Array, start: number): number {
  const last = Math.min(start + mostChunkBytes, bytes.length)
  const first = start + shortestChunk - window
  resetHash()
  for (let from = first; from < last; from += mostScanned) {
    const scanned = bytes.subarray(from, Math.min(from + mostScanned, last))
    const taken = scanForEnd(scanned, from === first ? window - 1 : 0)
    if (taken !== undefined) return from + taken
  }
  return last
}
