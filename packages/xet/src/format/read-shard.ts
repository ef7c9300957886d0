/** Reads a shard part by part as it arrives; what it says is only well-formed then, not true. */

import { type Flaw, flaw, isFlaw } from './flaw.ts'
import { readUint64 } from './little-endian.ts'
import { readShardFile, type ShardFile } from './read-shard-file.ts'
import { readShardXorb, type ShardXorb } from './read-shard-xorb.ts'
import { type RowReader, rowReader } from './row-reader.ts'
import { sameBytes } from './same-bytes.ts'
import { footerLength, isBookend, shardTag, shardVersion } from './shard-layout.ts'
import { cutOff, type ShardLimits, shardLimits, takeRows, tooLong } from './take-rows.ts'

export type { ShardFile } from './read-shard-file.ts'
export type { ShardXorb } from './read-shard-xorb.ts'
export type { ShardLimits } from './take-rows.ts'

/** After a flaw nothing follows. */
export type ShardPart = ShardFile | ShardXorb | Flaw

export async function* readShard(
  source: AsyncIterable<Uint8Array>,
  limits: ShardLimits = shardLimits,
): AsyncGenerator<ShardPart> {
  const reader = rowReader(source)
  try {
    const footer = await readHeader(reader)
    if (isFlaw(footer)) return yield footer
    if (yield* readBlocks(reader, limits, readShardFile)) return
    if (yield* readBlocks(reader, limits, readShardXorb)) return
    const wrong = await checkRest(reader, footer, limits)
    if (wrong !== undefined) yield wrong
  } finally {
    await reader.close()
  }
}

/** How long the footer is. */
async function readHeader(reader: RowReader): Promise<number | Flaw> {
  const header = await reader.take(1)
  if (header === undefined) return cutOff(reader)
  if (!sameBytes(header.subarray(0, 32), shardTag))
    return flaw('The bytes do not begin as a shard.')
  const [version, footer] = [readUint64(header, 32), readUint64(header, 40)]
  if (version !== shardVersion) {
    return flaw(`The shard has version ${version}, not ${shardVersion}.`)
  }
  if (footer === 0n || footer === BigInt(footerLength)) return Number(footer)
  return flaw(`The shard announces a footer of ${footer} bytes, not of 0 or ${footerLength}.`)
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
    if (!isFlaw(header) && isBookend(header)) return false
    const block = isFlaw(header) ? header : await readBlock(reader, header, limits)
    yield block
    if (isFlaw(block)) return true
  }
}

/** A footer, and the tables that some clients leave before it, help to find what was just read. */
async function checkRest(
  reader: RowReader,
  footer: number,
  limits: ShardLimits,
): Promise<Flaw | undefined> {
  const left = await reader.drain()
  if (reader.offset > limits.bytes) return tooLong(limits)
  if (left < footer) return cutOff(reader)
  if (footer > 0 || left === 0) return undefined
  return flaw(`The shard goes on for ${left} bytes behind its end at byte ${reader.offset - left}.`)
}
