/** Which chunks a xorb holds and where: kept behind its bytes, in the same object. */

import { joinBytes, readUint32, sameBytes, withRoom, writeUint32 } from './bytes.ts'
import { type Hash, hashAt } from './hash.ts'

/** Hash, unpacked length, and where the packed chunk ends. */
const rowLength = 40
const trailerLength = 24
const magic = new TextEncoder().encode('LKXORB01')

export const tableTrailerLength = trailerLength

/** How long the table of so many chunks is. */
export function tableLength(chunks: number): number {
  return chunks * rowLength + trailerLength
}

export class ChunkTable {
  readonly #rows: Uint8Array

  constructor(rows: Uint8Array) {
    this.#rows = rows
  }

  get count(): number {
    return this.#rows.length / rowLength
  }

  get packedBytes(): number {
    return this.count === 0 ? 0 : this.packedEnd(this.count - 1)
  }

  get unpackedBytes(): number {
    return this.unpackedBetween(0, this.count)
  }

  /** Bytes that it takes in memory. */
  get size(): number {
    return this.#rows.length
  }

  hash(index: number): Hash {
    return hashAt(this.#rows, index * rowLength)
  }

  hashBytes(index: number): Uint8Array {
    return this.#rows.subarray(index * rowLength, index * rowLength + 32)
  }

  unpackedLength(index: number): number {
    return readUint32(this.#rows, index * rowLength + 32)
  }

  /** Where the chunk's header begins in the serialised xorb. */
  packedStart(index: number): number {
    return index === 0 ? 0 : this.packedEnd(index - 1)
  }

  packedEnd(index: number): number {
    return readUint32(this.#rows, index * rowLength + 36)
  }

  unpackedBetween(start: number, end: number): number {
    let bytes = 0
    for (let index = start; index < end; index += 1) bytes += this.unpackedLength(index)
    return bytes
  }

  /** The rows and what says how many there are: what stands behind the serialised bytes. */
  encoded(): Uint8Array<ArrayBuffer> {
    const trailer = withRoom(magic, trailerLength)
    writeUint32(trailer, this.count, 8)
    writeUint32(trailer, this.packedBytes, 16)
    return joinBytes([this.#rows, trailer])
  }
}

/** Collects rows while a xorb is read or written. */
export interface ChunkTableBuilder {
  readonly count: number
  add(hash: Uint8Array, unpackedLength: number, packedEnd: number): void
  build(): ChunkTable
}

export function chunkTableBuilder(): ChunkTableBuilder {
  let rows = new Uint8Array(64 * rowLength)
  let length = 0
  return {
    get count() {
      return length / rowLength
    },
    add(hash, unpackedLength, packedEnd) {
      if (length === rows.length) rows = withRoom(rows, rows.length * 2)
      rows.set(hash, length)
      writeUint32(rows, unpackedLength, length + 32)
      writeUint32(rows, packedEnd, length + 36)
      length += rowLength
    },
    build: () => new ChunkTable(new Uint8Array(rows.subarray(0, length))),
  }
}

/** How long the rows before this trailer are; undefined when it is none of ours. */
export function rowsLengthOf(trailer: Uint8Array): number | undefined {
  if (trailer.length !== trailerLength || !sameBytes(trailer.subarray(0, 8), magic))
    return undefined
  return readUint32(trailer, 8) * rowLength
}
