/** Cuts data into chunks where its content says so: what stays the same is cut in the same way. */

import { mostChunkBytes } from '../format/limits.ts'
import { highHalves, lowHalves } from './gear-table.ts'

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

/** Two halves of 32 bits, because numbers of 64 are slow here; no branch but the one that ends it. */
export function endOfChunk(bytes: Uint8Array, start: number): number {
  const last = Math.min(start + mostChunkBytes, bytes.length)
  const first = start + shortestChunk
  let high = 0
  let low = 0
  for (let index = first - window; index < last; index += 1) {
    const byte = bytes[index] ?? 0
    const added = lowHalves[byte] ?? 0
    const doubled = low << 1
    const sum = (doubled + added) | 0
    const carry = ((doubled & added) | ((doubled | added) & ~sum)) >>> 31
    high = ((high << 1) + (low >>> 31) + (highHalves[byte] ?? 0) + carry) | 0
    low = sum
    if (high >>> 16 === 0 && index + 1 >= first) return index + 1
  }
  return last
}
