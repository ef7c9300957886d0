/** A storage in memory that believes nothing: what it takes is checked, and what it gives can be spoilt. */

import {
  type ByteRange,
  type DownloadCalls,
  RangeFetchError,
} from '../src/download/download-calls.ts'
import { checkXorb } from '../src/format/check-xorb.ts'
import type { ChunkTable } from '../src/format/chunk-table.ts'
import { isFormatError } from '../src/format/format-error.ts'
import { bytesOfHash, type Hash, hashAt, parseHash, type Term } from '../src/format/hash.ts'
import { fileHash, isEligible, rangeHash } from '../src/format/hashing.ts'
import { merkleTree } from '../src/format/merkle-tree.ts'
import { readShard, type ShardFile } from '../src/format/read-shard.ts'
import type { ShardTerm } from '../src/format/shard-rows.ts'
import { writeDedupShard } from '../src/format/write-shard.ts'
import type { UploadCalls } from '../src/upload/upload-calls.ts'

interface Stored {
  readonly bytes: Buffer
  readonly table: ChunkTable
}

export interface MemoryStorage extends UploadCalls, DownloadCalls {
  readonly xorbs: Map<Hash, Stored>
  readonly files: Map<Hash, { terms: readonly ShardTerm[]; sha256: string | undefined }>
  /** What was asked, in order. */
  readonly calls: string[]
  /** Changes the bytes of a run from `start` on, or breaks off after some of them. */
  spoil: (bytes: Buffer, start: number) => Buffer
}

export function memoryStorage(): MemoryStorage {
  const { xorbs, files, calls }: Pick<MemoryStorage, 'xorbs' | 'files' | 'calls'> = {
    xorbs: new Map(),
    files: new Map(),
    calls: [],
  }
  const stored = (xorb: Hash) => {
    const found = xorbs.get(xorb)
    if (found === undefined) throw new Error(`there is no xorb ${xorb}`)
    return found
  }
  const filesFrom = (chunk: Hash) =>
    [...files.values()].filter(({ terms: [first] }) => {
      return first !== undefined && stored(first.xorb).table.hash(first.start) === chunk
    })
  const mayAskFor = (chunk: Hash) =>
    isEligible(bytesOfHash(chunk)) ||
    [...xorbs.values()].some(({ table }) => table.hash(0) === chunk) ||
    filesFrom(chunk).length > 0

  const storage: MemoryStorage = {
    ...{ xorbs, files, calls },
    spoil: (bytes) => bytes,
    async findChunk(chunk) {
      calls.push('findChunk')
      if (!mayAskFor(chunk)) return undefined
      const found = [...xorbs].find(([, { table }]) => hashesOf(table).includes(chunk))
      if (found === undefined) return undefined
      const more = filesFrom(chunk).flatMap(({ terms }) => terms.map(({ xorb }) => xorb))
      const named = [...new Set([found[0], ...more])].map((hash) => ({ hash, ...stored(hash) }))
      return writeDedupShard(named, { createdAt: 0, expiresAt: 1 })
    },
    async hasFile(file) {
      calls.push('hasFile')
      return files.has(file)
    },
    async sendXorb(xorb, parts) {
      calls.push('sendXorb')
      const bytes = Buffer.concat(parts)
      const checked = checkXorb(readerOf(bytes), xorb)
      if (isFormatError(checked)) throw new Error(checked.flaw)
      xorbs.set(xorb, { bytes, table: checked.table })
    },
    async sendShard(shard) {
      calls.push('sendShard')
      for await (const part of readShard(inOnePiece(shard))) {
        if (isFormatError(part)) throw new Error(part.flaw)
        if (part.kind === 'file') register(part)
        else if (stored(part.hash).table.packedBytes !== part.packedBytes) throw new Error('bytes')
      }
    },
    async reconstruct(file, range) {
      calls.push('reconstruct')
      const found = files.get(file)
      if (found === undefined) throw new Error(`there is no file ${file}`)
      const terms = range === undefined ? found.terms : trimmed(found.terms, range)
      return { storageUrl: 'http://any', answer: reconstructionOf(terms) }
    },
    async readRun({ url, bytes: { start, end } }, into) {
      calls.push('readRun')
      const whole = stored(xorbIn(url)).bytes.subarray(start, end + 1)
      const bytes = storage.spoil(Buffer.from(whole), start)
      into.set(bytes)
      if (bytes.length === into.length) return { bytes: bytes.length }
      return { bytes: bytes.length, broken: new RangeFetchError('it broke off') }
    },
    async pause() {
      calls.push('pause')
    },
  }

  function register({ hash, terms, ranges, sha256 }: ShardFile): void {
    const tree = merkleTree()
    for (const [index, { xorb, start, end, unpackedBytes }] of [...terms].entries()) {
      const { table } = stored(xorb)
      if (table.unpackedBetween(start, end) !== unpackedBytes) throw new Error('wrong length')
      const hashes = Array.from({ length: end - start }, (_, at) => table.hashBytes(start + at))
      if (ranges?.hash(index) !== hashAt(rangeHash(Buffer.concat(hashes)))) throw new Error('proof')
      for (const [at, one] of hashes.entries()) tree.add(one, table.unpackedLength(start + at))
    }
    if (hashAt(fileHash(tree.root())) !== hash) throw new Error(`the file is not ${hash}`)
    files.set(hash, { terms: [...terms], sha256 })
  }

  /** The chunks that hold bytes of the range. */
  function trimmed(terms: readonly ShardTerm[], range: ByteRange): Term[] {
    let position = 0
    return terms.flatMap(({ xorb, start, end }) => {
      const chunks: Term[] = []
      for (let index = start; index < end; index += 1) {
        const unpackedBytes = stored(xorb).table.unpackedLength(index)
        const isTouched = position <= range.end && position + unpackedBytes > range.start
        if (isTouched) chunks.push({ xorb, start: index, end: index + 1, unpackedBytes })
        position += unpackedBytes
      }
      return chunks
    })
  }

  /** One run for all that is needed of a xorb, as wide as it must be. */
  function reconstructionOf(terms: readonly Term[]): unknown {
    const byXorb = Map.groupBy(terms, ({ xorb }) => xorb)
    const runs = Array.from(byXorb, ([xorb, own]) => {
      const start = Math.min(...own.map((term) => term.start))
      const end = Math.max(...own.map((term) => term.end))
      const { table } = stored(xorb)
      const bytes = { start: table.packedStart(start), end: table.packedEnd(end - 1) - 1 }
      return [xorb, [{ range: { start, end }, url: `http://any/run/${xorb}`, url_range: bytes }]]
    })
    return {
      offset_into_first_range: 0,
      terms: terms.map(({ xorb, start, end, unpackedBytes }) => ({
        hash: xorb,
        range: { start, end },
        unpacked_length: unpackedBytes,
      })),
      fetch_info: Object.fromEntries(runs),
    }
  }
  return storage
}

function xorbIn(url: string): Hash {
  const hash = parseHash(url.slice(-64))
  if (hash === undefined) throw new Error(`${url} names no xorb`)
  return hash
}

function hashesOf(table: ChunkTable): Hash[] {
  return Array.from({ length: table.count }, (_, index) => table.hash(index))
}

function readerOf(bytes: Buffer): (into: Uint8Array) => number {
  let position = 0
  return (into) => {
    const copied = bytes.copy(into, 0, position)
    position += copied
    return copied
  }
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
