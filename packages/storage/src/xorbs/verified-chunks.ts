/** Chunks out of the packed bytes of a stored xorb; each is believed only where it has its hash. */

import {
  type ChunkTable,
  chunkHash,
  isFormatError,
  sameBytes,
  type Term,
  unpackWhole,
} from '@latchkey/xet/format'
import { DamagedObject } from '../objects/object-store.ts'

/** Chunks `start` to before `end`. */
export type Piece = Pick<Term, 'start' | 'end'>

export interface ReadPiece {
  readonly packed: Buffer
  readonly table: ChunkTable
  readonly piece: Piece
}

export interface VerifiedChunk {
  readonly chunk: Uint8Array
  readonly hash: Uint8Array
}

/** Throws `DamagedObject` when the bytes are not those that were stored. */
export function* verifiedChunks({
  packed,
  table,
  piece: { start, end },
}: ReadPiece): Generator<VerifiedChunk> {
  const first = table.packedStart(start)
  for (let index = start; index < end; index += 1) {
    const [from, to] = [table.packedStart(index) - first, table.packedEnd(index) - first]
    const chunk = unpackWhole(packed.subarray(from, to))
    if (isFormatError(chunk)) throw damaged(chunk.flaw)
    const hash = chunkHash(chunk)
    if (!sameBytes(hash, table.hashBytes(index))) throw damaged(`the chunk ${table.hash(index)}`)
    yield { chunk, hash }
  }
}

/** A part is good until the next is asked for. */
export async function gather(parts: AsyncIterable<Uint8Array>, into: Buffer): Promise<Buffer> {
  let length = 0
  for await (const part of parts) {
    into.set(part, length)
    length += part.length
  }
  return into.subarray(0, length)
}

export function damaged(what: string): DamagedObject {
  return new DamagedObject(`stored content is damaged: ${what}`)
}
