/** Cuts data into chunks where its content says so: what stays the same is cut in the same way. */

import { mostChunkBytes } from '../format/limits.ts'
import { mostScanned, resetHash, scanForEnd } from './gear-scan.ts'

const shortestChunk = 8 * 1024
/** The hash has 64 bits and moves by one for each byte: older bytes have left it. */
const window = 64

/** How much is gathered before it is cut: enough for several chunks, so that little is copied twice. */
const gathered = 1024 * 1024

/** However the data comes in parts. Every chunk is a view of memory that is not used again. */
export async function* cutChunks(data: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const part of data) {
    parts.push(part)
    length += part.length
    if (length < gathered) continue
    // With so much left the chunk ends within it, whatever follows.
    const rest = yield* cutWhile(Buffer.concat(parts), mostChunkBytes)
    parts = [rest]
    length = rest.length
  }
  yield* cutWhile(Buffer.concat(parts), 1)
}

/** Gives back what is less than `least`. */
function* cutWhile(bytes: Uint8Array, least: number): Generator<Uint8Array, Uint8Array> {
  let start = 0
  while (bytes.length - start >= least) {
    const end = endOfChunk(bytes, start)
    yield bytes.subarray(start, end)
    start = end
  }
  return bytes.subarray(start)
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
