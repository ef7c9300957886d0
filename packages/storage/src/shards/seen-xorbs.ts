/** The xorbs that a shard speaks of, as its token sees them, and what looking at them may cost. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/cache'
import { type ChunkTable, type Hash, maxXorbChunks } from '@latchkey/xet/format'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type { CatalogReader, FoundXorb, OwnedXorb, View } from '../catalog/catalog.ts'
import { type ObjectKey, type ObjectReader, tableUnlessLost } from '../objects/object-store.ts'
import { contentInvalid, shardTooLarge } from '../request/refusals.ts'

/** Bytes that one shard holds in memory: 800 tables of xorbs whose chunks have 64 KiB. */
const maxHeldBytes = 32 * 1024 * 1024

/** To open a file takes as long as to read so many rows. */
const minRows = 2048

/** The chunk tables that the check of one shard needs, and how often it may read them; undefined for one that is lost. */
type TableFor = (key: ObjectKey) => Promise<ChunkTable | Refusal | undefined>

/** As many rows as the most xorbs can have: usual ones, an eighth as large, can be read several times. */
function shardTables(objects: Pick<ObjectReader, 'table'>, { xorbs }: ShardCaps): TableFor {
  const maxRows = xorbs * maxXorbChunks
  const held = new GrowingCache<ObjectKey, ChunkTable>({
    most: maxHeldBytes,
    sizeOf: ({ size }) => size,
  })
  let rows = 0
  const read = async (key: ObjectKey) => {
    const table = await tableUnlessLost(objects, key)
    rows += Math.max(table?.count ?? 0, minRows)
    return rows > maxRows ? shardTooLarge('rows of chunk tables to read', maxRows) : table
  }
  return async (key) => {
    const table = held.get(key) ?? (await read(key))
    if (table !== undefined && !isRefusal(table)) held.set(key, table)
    return table
  }
}

export interface SeenXorbs {
  /** Looks those up that are not known yet; refuses when one is not in view, or when there are too many. */
  look(hashes: Iterable<Hash>): Promise<Refusal | undefined>
  /**
   * The table of a xorb that was looked up; refuses when the shard reads more from the disk than
   * one may.
   */
  table(hash: Hash): Promise<ChunkTable | Refusal>
  /** Refuses when the files of the shard cover more chunks than one may. */
  spend(chunks: number): Refusal | undefined
  /** Every xorb that was looked up. */
  all(): readonly OwnedXorb[]
}

export interface SeenXorbsOptions {
  readonly catalog: Pick<CatalogReader, 'findXorbs'>
  readonly objects: Pick<ObjectReader, 'sizeOf' | 'table'>
  readonly caps: ShardCaps
}

export function seenXorbs(
  { catalog, objects, caps }: SeenXorbsOptions,
  view: View,
  signal: AbortSignal,
): SeenXorbs {
  const loadedXorbs = new Map<Hash, FoundXorb>()
  const tableFor = shardTables(objects, caps)
  let spent = 0
  return {
    async look(hashes) {
      const unknown = [...new Set(hashes)].filter((hash) => !loadedXorbs.has(hash))
      if (loadedXorbs.size + unknown.length > caps.xorbs) return shardTooLarge('xorbs', caps.xorbs)
      const found = await catalog.findXorbs(view, unknown)
      for (const [hash, xorb] of found) loadedXorbs.set(hash, xorb)
      const missing = unknown.find((hash) => !found.has(hash))
      if (missing !== undefined) return notSeen(missing)
      const lost = await firstLost([...found.values()], objects)
      return lost && lostObject(lost.hash)
    },
    async table(hash) {
      const xorb = loadedXorbs.get(hash)
      if (xorb === undefined) throw new Error(`the xorb ${hash} was not looked up`)
      return (await tableFor(xorb.key)) ?? lostObject(hash)
    },
    spend(chunks) {
      // The client has disconnected: its shard is given up.
      signal.throwIfAborted()
      spent += chunks
      return spent > caps.chunks ? shardTooLarge('chunks in its files', caps.chunks) : undefined
    },
    all: () => [...loadedXorbs.values()],
  }
}

/** A new file must not use a xorb that is missing on the disk, even if rows name it. */
async function firstLost(
  xorbs: readonly FoundXorb[],
  objects: Pick<ObjectReader, 'sizeOf'>,
): Promise<FoundXorb | undefined> {
  for (let start = 0; start < xorbs.length; start += maxLooksAtOnce) {
    const some = xorbs.slice(start, start + maxLooksAtOnce)
    const sizes = await Promise.all(some.map(({ key }) => objects.sizeOf(key)))
    const lost = some.find((_, index) => sizes[index] === undefined)
    if (lost !== undefined) return lost
  }
  return undefined
}

/** A store may take a fifth of a second for each. */
const maxLooksAtOnce = 32

function lostObject(hash: Hash): Refusal {
  return { ...notSeen(hash), reason: 'object_lost' }
}

function notSeen(hash: Hash): Refusal {
  return contentInvalid(
    `The shard refers to the xorb ${hash}, which this repository and ref do not have. Upload it first, with a token of this ref.`,
  )
}
