/** Cuts data into chunks where its content says so: what stays the same is cut in the same way. */

import { mostChunkBytes } from '../format/limits.ts'
import { mostScanned, resetHash, scanForEnd } from './gear-scan.ts'

const shortestChunk = 8 * 1024
/** The hash has 64 bits and moves by one for each byte: older bytes have left it. */
const window = 64

/** How much is gathered before it is cut: enough for many chunks, so that little is copied twice. */
export const cuttingBytes = 1024 * 1024

/** However the data comes in parts. Parts are not kept, and some chunks are good until the next ones are asked for. */
export async function* cutChunks(
  data: AsyncIterable<Uint8Array>,
  memory: Buffer = Buffer.allocUnsafeSlow(cuttingBytes),
): AsyncGenerator<readonly Uint8Array[]> {
  let held = 0
  for await (const part of data) {
    for (let taken = 0; taken < part.length; ) {
      const some = part.subarray(taken, taken + memory.length - held)
      memory.set(some, held)
      held += some.length
      taken += some.length
      // With so much left the chunk ends within it, whatever follows.
      if (held === memory.length) held = yield* cutWhile(memory, mostChunkBytes)
    }
  }
  if (held > 0) yield* cutWhile(memory.subarray(0, held), 1)
}

/** What is less than `least` is moved to the beginning; gives how much it is. */
function* cutWhile(bytes: Buffer, least: number): Generator<readonly Uint8Array[], number> {
  const chunks: Uint8Array[] = []
  let start = 0
  while (bytes.length - start >= least) {
    const end = endOfChunk(bytes, start)
    chunks.push(bytes.subarray(start, end))
    start = end
  }
  yield chunks
  bytes.copyWithin(0, start)
  return bytes.length - start
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
