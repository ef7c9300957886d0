/** Rows of a shard as they came: read only where somebody looks. */

import { readUint32, sameBytes } from './bytes.ts'
import { type Hash, hashAt } from './hash.ts'

export const shardVersion = 2n
export const footerVersion = 1n

/** The header is as long as a row; so are headers of files and xorbs, and what follows them. */
export const rowLength = 48
export const footerLength = 200

/** Said of a file: its terms are followed by the hashes of their runs, and by a SHA-256. */
export const withRanges = 0x80000000
export const withSha256 = 0x40000000

/** Said of a chunk: clients may ask for it although its hash does not show it. */
const withQuestions = 0x80000000

/** Ends the files, and the xorbs. */
export const bookend = new Uint8Array(rowLength).fill(0xff, 0, 32)

/** The header, and a bookend each behind the files and the xorbs. */
export const emptyShardLength = 3 * rowLength

/** A run of chunks of one xorb: `start` to before `end`. */
export interface ShardTerm {
  readonly xorb: Hash
  readonly start: number
  readonly end: number
  readonly unpackedBytes: number
}

/** Rows that begin with a hash. */
class Rows {
  protected readonly rows: Uint8Array

  constructor(rows: Uint8Array) {
    this.rows = rows
  }

  get count(): number {
    return this.rows.length / rowLength
  }

  hash(index: number): Hash {
    return hashAt(this.rows, index * rowLength)
  }

  hashBytes(index: number): Uint8Array {
    return this.rows.subarray(index * rowLength, index * rowLength + 32)
  }
}

export class ShardTerms extends Rows implements Iterable<ShardTerm> {
  at(index: number): ShardTerm {
    const offset = index * rowLength
    return {
      xorb: this.hash(index),
      unpackedBytes: readUint32(this.rows, offset + 36),
      start: readUint32(this.rows, offset + 40),
      end: readUint32(this.rows, offset + 44),
    }
  }

  *[Symbol.iterator](): Iterator<ShardTerm> {
    for (let index = 0; index < this.count; index += 1) yield this.at(index)
  }
}

/** For each term the hash of its run of chunks. */
export class ShardRanges extends Rows {}

export class ShardChunks extends Rows {
  unpackedLength(index: number): number {
    return readUint32(this.rows, index * rowLength + 36)
  }

  /** Whether the shard wants questions for this chunk to be answered. */
  isMarked(index: number): boolean {
    return readUint32(this.rows, index * rowLength + 40) >= withQuestions
  }
}

// biome-ignore format: read as blocks
export const shardTag = Uint8Array.from([
   72,  70,  82, 101, 112, 111,  77, 101, 116,  97,  68,  97, 116,  97,   0,  85,
  105, 103,  69, 106, 123, 129,  87, 131, 165, 189, 217,  92, 205, 209,  74, 169,
])

export function isBookend(row: Uint8Array): boolean {
  return sameBytes(row.subarray(0, 32), bookend.subarray(0, 32))
}

/** A row of its own, two for each term, and the SHA-256. */
export function fileLength(terms: number): number {
  return (2 + 2 * terms) * rowLength
}

/** A row of its own, and one for each chunk. */
export function xorbLength(chunks: number): number {
  return (1 + chunks) * rowLength
}
