/** Reads what a shard says of one file. */

import { type Flaw, isFlaw } from './flaw.ts'
import { type Hash, hashAt } from './hash.ts'
import { mostXorbChunks } from './limits.ts'
import { readUint32 } from './little-endian.ts'
import type { RowReader } from './row-reader.ts'
import { rowLength, withRanges, withSha256 } from './shard-layout.ts'
import { ShardRanges, ShardTerms } from './shard-rows.ts'
import { flawAt, flawedRow, type ShardLimits, takeRows } from './take-rows.ts'

export interface ShardFile {
  readonly kind: 'file'
  readonly hash: Hash
  readonly terms: ShardTerms
  /** As many as there are terms. */
  readonly ranges: ShardRanges | undefined
  /** In plain hexadecimal. */
  readonly sha256: string | undefined
}

/** What follows the file's own row. */
export async function readShardFile(
  reader: RowReader,
  header: Uint8Array,
  limits: ShardLimits,
): Promise<ShardFile | Flaw> {
  const [flags, count] = [readUint32(header, 32), readUint32(header, 36)]
  if (count > limits.terms) {
    return flawedRow(reader, `the file has ${count} terms, more than ${limits.terms}`)
  }
  const terms = await takeTerms(reader, count, limits)
  if (isFlaw(terms)) return terms
  const hasRanges = (flags & withRanges) !== 0
  const ranges = await takeRows(reader, hasRanges ? count : 0, limits)
  if (isFlaw(ranges)) return ranges
  const hasSha256 = (flags & withSha256) !== 0
  const extra = await takeRows(reader, hasSha256 ? 1 : 0, limits)
  if (isFlaw(extra)) return extra
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
): Promise<ShardTerms | Flaw> {
  const first = reader.offset
  const rows = await takeRows(reader, count, limits)
  if (isFlaw(rows)) return rows
  const terms = new ShardTerms(rows)
  for (let index = 0; index < count; index += 1) {
    const { start, end } = terms.at(index)
    if (start < end && end <= mostXorbChunks) continue
    return flawAt(first + index * rowLength, `chunks ${start} to ${end} are no run`)
  }
  return terms
}
