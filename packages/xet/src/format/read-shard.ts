/** Reads a shard part by part as it arrives; what it says is only well-formed then, not true. */

import { readUint32, readUint64, sameBytes } from './bytes.ts'
import { type FormatError, formatError, isFormatError } from './format-error.ts'
import { type Hash, hashAt } from './hash.ts'
import { maxXorbChunks } from './limits.ts'
import {
  cutOff,
  flawAt,
  flawedRow,
  type RowReader,
  rowReader,
  type ShardLimits,
  shardLimits,
  takeRows,
  tooLong,
} from './row-reader.ts'
import {
  footerLength,
  isBookend,
  rowLength,
  ShardChunks,
  ShardRanges,
  ShardTerms,
  shardTag,
  shardVersion,
  withRanges,
  withSha256,
} from './shard-rows.ts'

export type { ShardLimits } from './row-reader.ts'

/** After a flaw nothing follows. */
export type ShardPart = ShardFile | ShardXorb | FormatError

export async function* readShard(
  source: AsyncIterable<Uint8Array>,
  limits: ShardLimits = shardLimits,
): AsyncGenerator<ShardPart> {
  const reader = rowReader(source)
  try {
    const footer = await readHeader(reader)
    if (isFormatError(footer)) return yield footer
    if (yield* readBlocks(reader, limits, readShardFile)) return
    if (yield* readBlocks(reader, limits, readShardXorb)) return
    const wrong = await checkRest(reader, footer, limits)
    if (wrong !== undefined) yield wrong
  } finally {
    await reader.close()
  }
}

/** How long the footer is. */
async function readHeader(reader: RowReader): Promise<number | FormatError> {
  const header = await reader.take(1)
  if (header === undefined) return cutOff(reader)
  if (!sameBytes(header.subarray(0, 32), shardTag))
    return formatError('The bytes do not begin as a shard.')
  const [version, footer] = [readUint64(header, 32), readUint64(header, 40)]
  if (version !== shardVersion) {
    return formatError(`The shard has version ${version}, not ${shardVersion}.`)
  }
  if (footer === 0n || footer === BigInt(footerLength)) return Number(footer)
  return formatError(
    `The shard announces a footer of ${footer} bytes, not of 0 or ${footerLength}.`,
  )
}

type ReadBlock = (reader: RowReader, header: Uint8Array, limits: ShardLimits) => Promise<ShardPart>

/** Up to the bookend; true when there was a flaw. */
async function* readBlocks(
  reader: RowReader,
  limits: ShardLimits,
  readBlock: ReadBlock,
): AsyncGenerator<ShardPart, boolean> {
  for (;;) {
    const header = await takeRows(reader, 1, limits)
    if (!isFormatError(header) && isBookend(header)) return false
    const block = isFormatError(header) ? header : await readBlock(reader, header, limits)
    yield block
    if (isFormatError(block)) return true
  }
}

/** A footer, and the tables that some clients leave before it, help to find what was just read. */
async function checkRest(
  reader: RowReader,
  footer: number,
  limits: ShardLimits,
): Promise<FormatError | undefined> {
  const left = await reader.drain()
  if (reader.offset > limits.bytes) return tooLong(limits)
  if (left < footer) return cutOff(reader)
  if (footer > 0 || left === 0) return undefined
  return formatError(
    `The shard has ${left} more bytes behind its end at byte ${reader.offset - left}.`,
  )
}

export interface ShardFile {
  readonly kind: 'file'
  readonly hash: Hash
  readonly terms: ShardTerms
  /** As many as there are terms. */
  readonly ranges: ShardRanges | undefined
  /** In plain hexadecimal. */
  readonly sha256: string | undefined
}

/** Reads the rows that follow the file's own row. */
async function readShardFile(
  reader: RowReader,
  header: Uint8Array,
  limits: ShardLimits,
): Promise<ShardFile | FormatError> {
  const [flags, count] = [readUint32(header, 32), readUint32(header, 36)]
  if (count > limits.terms) {
    return flawedRow(reader, `the file has ${count} terms, more than ${limits.terms}`)
  }
  const terms = await takeTerms(reader, count, limits)
  if (isFormatError(terms)) return terms
  const hasRanges = (flags & withRanges) !== 0
  const ranges = await takeRows(reader, hasRanges ? count : 0, limits)
  if (isFormatError(ranges)) return ranges
  const hasSha256 = (flags & withSha256) !== 0
  const extra = await takeRows(reader, hasSha256 ? 1 : 0, limits)
  if (isFormatError(extra)) return extra
  return {
    kind: 'file',
    hash: hashAt(header),
    terms,
    ranges: hasRanges ? new ShardRanges(ranges) : undefined,
    sha256: hasSha256 ? hashAt(extra) : undefined,
  }
}

async function takeTerms(
  reader: RowReader,
  count: number,
  limits: ShardLimits,
): Promise<ShardTerms | FormatError> {
  const first = reader.offset
  const rows = await takeRows(reader, count, limits)
  if (isFormatError(rows)) return rows
  const terms = new ShardTerms(rows)
  for (let index = 0; index < count; index += 1) {
    const { start, end } = terms.at(index)
    if (start < end && end <= maxXorbChunks) continue
    return flawAt(first + index * rowLength, `chunks ${start} to ${end} are no run`)
  }
  return terms
}

export interface ShardXorb {
  readonly kind: 'xorb'
  readonly hash: Hash
  readonly chunks: ShardChunks
  readonly unpackedBytes: number
  readonly packedBytes: number
}

/** Reads the rows that follow the xorb's own row. */
async function readShardXorb(
  reader: RowReader,
  header: Uint8Array,
  limits: ShardLimits,
): Promise<ShardXorb | FormatError> {
  const count = readUint32(header, 36)
  if (count === 0 || count > maxXorbChunks) {
    return flawedRow(reader, `the xorb has ${count} chunks, not 1 to ${maxXorbChunks}`)
  }
  const rows = await takeRows(reader, count, limits)
  if (isFormatError(rows)) return rows
  return {
    kind: 'xorb',
    hash: hashAt(header),
    chunks: new ShardChunks(rows),
    unpackedBytes: readUint32(header, 40),
    packedBytes: readUint32(header, 44),
  }
}
