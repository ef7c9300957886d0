/** Reads what a shard says of one xorb. */

import { type Flaw, isFlaw } from './flaw.ts'
import { type Hash, hashAt } from './hash.ts'
import { mostXorbChunks } from './limits.ts'
import { readUint32 } from './little-endian.ts'
import type { RowReader } from './row-reader.ts'
import { ShardChunks } from './shard-rows.ts'
import { flawedRow, type ShardLimits, takeRows } from './take-rows.ts'

export interface ShardXorb {
  readonly kind: 'xorb'
  readonly hash: Hash
  readonly chunks: ShardChunks
  readonly unpackedBytes: number
  readonly packedBytes: number
}

/** What follows the xorb's own row. */
export async function readShardXorb(
  reader: RowReader,
  header: Uint8Array,
  limits: ShardLimits,
): Promise<ShardXorb | Flaw> {
  const count = readUint32(header, 36)
  if (count === 0 || count > mostXorbChunks) {
    return flawedRow(reader, `the xorb has ${count} chunks, not 1 to ${mostXorbChunks}`)
  }
  const rows = await takeRows(reader, count, limits)
  if (isFlaw(rows)) return rows
  return {
    kind: 'xorb',
    hash: hashAt(header),
    chunks: new ShardChunks(rows),
    unpackedBytes: readUint32(header, 40),
    packedBytes: readUint32(header, 44),
  }
}
