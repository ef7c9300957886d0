/** Writes shards: one that registers files, one that answers who asks for a chunk. */

import { joinBytes, withRoom, writeUint32, writeUint64 } from './bytes.ts'
import type { ChunkTable } from './chunk-table.ts'
import { bytesOfHash, type Hash } from './hash.ts'
import {
  bookend,
  footerLength,
  footerVersion,
  rowLength,
  type ShardTerm,
  shardTag,
  shardVersion,
  withRanges,
  withSha256,
  xorbLength,
} from './shard-rows.ts'

export interface NamedTable {
  readonly hash: Hash
  readonly table: ChunkTable
}

export interface FileToRegister {
  readonly hash: Hash
  /** Each with the hash of its run of chunks. */
  readonly terms: readonly (ShardTerm & { readonly range: Uint8Array })[]
  readonly sha256?: Uint8Array
}

/** In seconds since 1970. */
interface Validity {
  readonly createdAt: number
  readonly expiresAt: number
}

/** The form that is uploaded: without a footer. */
export function writeShard(
  files: readonly FileToRegister[],
  xorbs: readonly NamedTable[],
): Uint8Array<ArrayBuffer> {
  return joinBytes([
    headerRow(0),
    ...files.flatMap(fileRows),
    bookend,
    ...xorbs.map(xorbRows),
    bookend,
  ])
}

/** No files; the chunk hashes are under no key. */
export function writeDedupShard(
  xorbs: readonly NamedTable[],
  validity: Validity,
): Uint8Array<ArrayBuffer> {
  const rows = xorbs.map(xorbRows)
  const sections = [headerRow(footerLength), bookend, ...rows, bookend]
  const footerStart = sections.reduce((sum, { length }) => sum + length, 0)
  return joinBytes([...sections, footerOf(xorbs, footerStart, validity)])
}

function headerRow(footer: number): Uint8Array<ArrayBuffer> {
  const row = withRoom(shardTag, rowLength)
  writeUint64(row, shardVersion, 32)
  writeUint64(row, BigInt(footer), 40)
  return row
}

function fileRows({ hash, terms, sha256 }: FileToRegister): Uint8Array[] {
  const flags = withRanges + (sha256 === undefined ? 0 : withSha256)
  const header = rowOf(bytesOfHash(hash), [flags, terms.length])
  const runs = terms.map(({ xorb, start, end, unpackedBytes }) =>
    rowOf(bytesOfHash(xorb), [0, unpackedBytes, start, end]),
  )
  const ranges = terms.map(({ range }) => rowOf(range, []))
  // As clients write it: turned around word by word, like a hash.
  const extra = sha256 === undefined ? [] : [rowOf(turnedWords(sha256), [])]
  return [header, ...runs, ...ranges, ...extra]
}

function xorbRows({ hash, table }: NamedTable): Uint8Array<ArrayBuffer> {
  const rows = new Uint8Array(xorbLength(table.count))
  writeRow(rows, 0, bytesOfHash(hash), [0, table.count, table.unpackedBytes, table.packedBytes])
  let start = 0
  for (let index = 0; index < table.count; index += 1) {
    const length = table.unpackedLength(index)
    writeRow(rows, (1 + index) * rowLength, table.hashBytes(index), [start, length])
    start += length
  }
  return rows
}

function turnedWords(bytes: Uint8Array): Uint8Array {
  return bytes.map((_, index) => bytes[index ^ 7] ?? 0)
}

function rowOf(hash: Uint8Array, numbers: readonly number[]): Uint8Array<ArrayBuffer> {
  const row = new Uint8Array(rowLength)
  writeRow(row, 0, hash, numbers)
  return row
}

function writeRow(
  rows: Uint8Array,
  offset: number,
  hash: Uint8Array,
  numbers: readonly number[],
): void {
  rows.set(hash, offset)
  for (const [index, number] of numbers.entries()) {
    writeUint32(rows, number, offset + 32 + index * 4)
  }
}

/** Clients look for the xorbs between two of its offsets; tables for looking them up are left out. */
function footerOf(
  xorbs: readonly NamedTable[],
  start: number,
  validity: Validity,
): Uint8Array<ArrayBuffer> {
  const footer = new Uint8Array(footerLength)
  const sum = (count: (table: ChunkTable) => number) =>
    xorbs.reduce((total, { table }) => total + count(table), 0)
  const numbers: Record<number, number | bigint> = {
    0: footerVersion,
    8: rowLength,
    16: 2 * rowLength,
    24: start,
    40: start,
    56: start,
    104: validity.createdAt,
    112: validity.expiresAt,
    168: sum(({ packedBytes }) => packedBytes),
    184: sum(({ unpackedBytes }) => unpackedBytes),
    192: start,
  }
  for (const [offset, number] of Object.entries(numbers)) {
    writeUint64(footer, BigInt(number), Number(offset))
  }
  return footer
}
