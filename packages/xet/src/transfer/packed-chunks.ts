/** Takes the bytes of a run apart into its chunks, and unpacks them. */

import { chunkHeaderLength, readChunkHeader } from '../format/chunk-header.ts'
import { isFlaw } from '../format/flaw.ts'
import { unpackWhole } from '../format/unpack-chunk.ts'
import { Misdelivered } from './misdelivered.ts'

/** Each with its header; what is not whole at the end is left out. */
export async function* packedChunks(data: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = []
  let length = 0
  let needed = chunkHeaderLength
  for await (const part of data) {
    parts.push(part)
    length += part.length
    if (length < needed) continue
    const { rest, next } = yield* takeWhole(Buffer.concat(parts))
    parts = [rest]
    length = rest.length
    needed = next
  }
}

/** Gives back what is left, and how long it must become. */
function* takeWhole(bytes: Buffer): Generator<Buffer, { rest: Buffer; next: number }> {
  let rest = bytes
  for (;;) {
    const next = lengthOf(rest)
    if (rest.length < next) return { rest, next }
    yield rest.subarray(0, next)
    rest = rest.subarray(next)
  }
}

function lengthOf(chunk: Buffer): number {
  if (chunk.length < chunkHeaderLength) return chunkHeaderLength
  const header = readChunkHeader(chunk)
  if (isFlaw(header)) throw unreadable(header.flaw)
  return chunkHeaderLength + header.packedLength
}

export function unpack(chunk: Buffer): Buffer {
  const bytes = unpackWhole(chunk)
  if (isFlaw(bytes)) throw unreadable(bytes.flaw)
  return bytes
}

function unreadable(reason: string): Misdelivered {
  return new Misdelivered(`the storage sent a chunk that cannot be read: ${reason}`)
}
