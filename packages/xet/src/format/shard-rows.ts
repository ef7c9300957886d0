/** Rows of a shard as they came: read only where somebody looks. */

import { type Hash, hashAt } from './hash.ts'
import { readUint32 } from './little-endian.ts'
import { rowLength, withQuestions } from './shard-layout.ts'

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
