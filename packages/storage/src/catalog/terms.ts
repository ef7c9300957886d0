/** Packs the terms of a file, runs of chunks of xorbs, so that a large file stays small. */

import { bytesOfHash, type Hash, hashAt, type Term } from '@latchkey/xet/format'

const termLength = 44

export class Terms implements Iterable<Term> {
  readonly packed: Buffer

  constructor(packed: Uint8Array) {
    this.packed = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  }

  static of(terms: readonly Term[]): Terms {
    const packed = Buffer.alloc(terms.length * termLength)
    for (const [index, { xorb, start, end, unpackedBytes }] of terms.entries()) {
      const offset = index * termLength
      packed.set(bytesOfHash(xorb), offset)
      packed.writeUInt32LE(start, offset + 32)
      packed.writeUInt32LE(end, offset + 36)
      packed.writeUInt32LE(unpackedBytes, offset + 40)
    }
    return new Terms(packed)
  }

  get count(): number {
    return this.packed.length / termLength
  }

  /** Reads one term without the rest. */
  unpackedBytes(index: number): number {
    return this.packed.readUInt32LE(index * termLength + 40)
  }

  at(index: number): Term {
    const offset = index * termLength
    return {
      xorb: hashAt(this.packed, offset),
      start: this.packed.readUInt32LE(offset + 32),
      end: this.packed.readUInt32LE(offset + 36),
      unpackedBytes: this.unpackedBytes(index),
    }
  }

  *[Symbol.iterator](): Iterator<Term> {
    for (let index = 0; index < this.count; index += 1) yield this.at(index)
  }

  /** Every xorb that is used, once. */
  xorbs(): readonly Hash[] {
    return [...new Set(Array.from(this, ({ xorb }) => xorb))]
  }
}
