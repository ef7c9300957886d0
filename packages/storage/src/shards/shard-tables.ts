/** The chunk tables that the check of one shard needs, and how often it may read them from the disk. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/growing-cache'
import { type ChunkTable, mostXorbChunks } from '@latchkey/xet/format'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type { ObjectReader } from '../objects/object-reader.ts'
import type { Digest } from '../objects/object-store.ts'
import { shardTooLarge } from '../request/refusals.ts'

/** What one shard holds in memory: 800 tables of xorbs whose chunks have 64 KiB. */
const mostHeldBytes = 32 * 1024 * 1024

/** To open a file takes as long as to read so many rows. */
const leastRows = 2048

export type TableFor = (digest: Digest) => Promise<ChunkTable | Refusal>

/** As many rows as the most xorbs can have: usual ones, an eighth as large, can be read several times. */
export function shardTables(objects: Pick<ObjectReader, 'table'>, { xorbs }: ShardCaps): TableFor {
  const mostRows = xorbs * mostXorbChunks
  const held = new GrowingCache<Digest, ChunkTable>({
    most: mostHeldBytes,
    sizeOf: ({ size }) => size,
  })
  let rows = 0
  const read = async (digest: Digest) => {
    const table = await objects.table(digest)
    rows += Math.max(table.count, leastRows)
    return rows > mostRows ? shardTooLarge('rows of chunk tables to read', mostRows) : table
  }
  return async (digest) => {
    const table = held.get(digest) ?? (await read(digest))
    if (!isRefusal(table)) held.set(digest, table)
    return table
  }
}
