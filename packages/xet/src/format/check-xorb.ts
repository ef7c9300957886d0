/** Is a serialised xorb what it is called? Every chunk is unpacked and hashed; nothing is believed, little is held. */

import { allocate } from '#platform/bytes'
import { newBlake3 } from '#platform/hashes'
import type { RunningBlake3 } from '../platform/hash-functions.ts'
import { readUint32, sameBytes } from './bytes.ts'
import { type ChunkHeader, chunkHeaderLength, readChunkHeader } from './chunk-header.ts'
import { type ChunkTable, type ChunkTableBuilder, chunkTableBuilder } from './chunk-table.ts'
import { type FormatError, formatError, isFormatError } from './format-error.ts'
import { type Hash, hashAt } from './hash.ts'
import { chunkHash } from './hashing.ts'
import { maxXorbFooterBytes, type XorbLimits, xorbLimits } from './limits.ts'
import { type MerkleTree, merkleTree } from './merkle-tree.ts'
import { unpackChunk } from './unpack-chunk.ts'

export interface CheckedChunks {
  /** Bytes of the chunks with their headers; a footer behind them is not counted. */
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly table: ChunkTable
  /** BLAKE3 of the serialised chunks, in plain hexadecimal. */
  readonly digest: string
}

/** Longer than any chunk, its header or a footer; all that is held besides one chunk and the table. */
const windowLength = 512 * 1024
const footerMark = new TextEncoder().encode('XETBLOB')

interface Checking {
  readonly source: SlidingReader
  readonly limits: XorbLimits
  readonly table: ChunkTableBuilder
  readonly tree: MerkleTree
  readonly digest: RunningBlake3
}

export function checkXorb(
  read: ReadNext,
  expected: Hash,
  limits: XorbLimits = xorbLimits,
): CheckedChunks | FormatError {
  const source = slidingReader(read, windowLength)
  const [table, tree, digest] = [chunkTableBuilder(), merkleTree(), newBlake3()]
  const checking: Checking = { source, limits, table, tree, digest }
  const wrong = checkChunks(checking) ?? checkFooter(source)
  if (wrong !== undefined) return wrong
  const actual = hashAt(tree.root())
  if (actual !== expected) return formatError(`The xorb's chunks make ${actual}, not ${expected}.`)
  const built = table.build()
  const { packedBytes, unpackedBytes } = built
  return { packedBytes, unpackedBytes, table: built, digest: digest.digest('hex') }
}

/** Undefined once all of them are found to be sound, with the source behind the last. */
function checkChunks(checking: Checking): FormatError | undefined {
  const { source, table } = checking
  for (;;) {
    const head = source.peek(chunkHeaderLength)
    if (head.length === 0 || isFooter(head)) break
    const place = `Chunk ${table.count} of the xorb, at byte ${source.position}, has a format error`
    const wrong = checkChunk(checking, head)
    if (wrong !== undefined) return formatError(`${place}: ${wrong.flaw}.`)
  }
  return table.count === 0
    ? formatError('The xorb has no chunk, and must have one at least.')
    : undefined
}

function checkChunk(checking: Checking, head: Uint8Array): FormatError | undefined {
  const { source, table, limits } = checking
  if (head.length < chunkHeaderLength) return formatError('the xorb is cut off in its header')
  if (table.count === limits.chunks)
    return formatError(`a xorb has at most ${limits.chunks} chunks`)
  const header = readChunkHeader(head)
  if (isFormatError(header)) return header
  const length = chunkHeaderLength + header.packedLength
  if (source.position + length > limits.bytes) {
    return formatError(`it ends beyond the ${limits.bytes} bytes that a xorb may have`)
  }
  const whole = source.peek(length)
  if (whole.length < length) {
    return formatError(`the xorb is cut off after ${whole.length} of its ${length} bytes`)
  }
  return takeChunk(checking, header, whole)
}

function takeChunk(
  { source, table, tree, digest }: Checking,
  header: ChunkHeader,
  whole: Uint8Array,
): FormatError | undefined {
  const chunk = unpackChunk(header, whole.subarray(chunkHeaderLength))
  if (isFormatError(chunk)) return chunk
  const hash = chunkHash(chunk)
  tree.add(hash, chunk.length)
  digest.update(whole)
  source.skip(whole.length)
  table.add(hash, chunk.length, source.position)
  return undefined
}

function isFooter(head: Uint8Array): boolean {
  return sameBytes(head.subarray(0, footerMark.length), footerMark)
}

/** Checks that the footer states its own length and comes last, and trusts no other part of it. */
function checkFooter(source: SlidingReader): FormatError | undefined {
  const footer = source.peek(maxXorbFooterBytes + 1)
  if (footer.length === 0) return undefined
  const isWhole = footer.length <= maxXorbFooterBytes && footer.length >= footerMark.length + 4
  if (isWhole && readUint32(footer, footer.length - 4) === footer.length - 4) return undefined
  return formatError(
    `The footer of the xorb, at byte ${source.position}, is not as long as it says.`,
  )
}

/** Fills from the beginning of `into`; gives how many bytes it was, 0 at the end. */
type ReadNext = (into: Uint8Array) => number

interface SlidingReader {
  /** How much was skipped so far. */
  readonly position: number
  /** The next `length` bytes, fewer only at the end; a view that lasts until the next call. */
  peek(length: number): Uint8Array
  skip(length: number): void
}

/** A caller may look ahead at most as far as the window is long. */
function slidingReader(read: ReadNext, windowLength: number): SlidingReader {
  // Nothing is looked at before it was read.
  const window = allocate(windowLength)
  let [start, end, position, isOver] = [0, 0, 0, false]
  const fill = () => {
    window.copyWithin(0, start, end)
    end -= start
    start = 0
    while (end < window.length && !isOver) {
      const got = read(window.subarray(end))
      isOver = got === 0
      end += got
    }
  }
  return {
    get position() {
      return position
    },
    peek(length) {
      if (end - start < length && !isOver) fill()
      return window.subarray(start, Math.min(start + length, end))
    },
    skip(length) {
      start += length
      position += length
    },
  }
}
