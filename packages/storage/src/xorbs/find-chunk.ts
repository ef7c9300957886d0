/** `GET /v1/chunks/default-merkledb/{hash}`: xorbs that the token may see and that have the chunk or what follows it in a file, so that clients need not send them. */

import type { Clock } from '@latchkey/protocol'
import { type Hash, writeDedupShard } from '@latchkey/xet/format'
import type { Catalog, CatalogReader, FoundXorb, OwnedFile, View } from '../catalog/catalog.ts'
import { type ObjectStore, tableUnlessLost } from '../objects/object-store.ts'
import type { StorageHandler } from '../request/asked.ts'
import { notHere } from '../request/refusals.ts'

/** How long clients may rely on the answer; what is removed earlier changes the address they rely on it under. */
const validSeconds = 7 * 24 * 3600

/** Xorbs in one response: 1 MiB of rows or a little more, which is a file of 1 to 1.4 GB. */
const maxXorbs = 64
const maxChunks = 22_000

/** Terms of a file: those further behind lead to no other xorbs. */
const maxTerms = 4096

export function findChunk(catalog: Catalog, objects: ObjectStore, clock: Clock): StorageHandler {
  return async ({ view }, hash) => {
    const shard = await shardWithChunk({ catalog, objects, clock }, view, hash)
    if (shard === undefined) return notHere('chunk', hash)
    // A client that does not hear of a lost xorb sends it again, and mends what was lost.
    if (shard === 'lost') return { ...notHere('chunk', hash), reason: 'object_lost' }
    const headers = ['Content-Type', 'application/octet-stream']
    return { status: 200, headers, body: Buffer.from(shard.buffer) }
  }
}

export interface FindingChunks {
  readonly catalog: Pick<CatalogReader, 'findChunk' | 'findFileFrom' | 'xorbsOf'>
  readonly objects: Pick<ObjectStore, 'sizeOf' | 'table'>
  readonly clock: Clock
}

/** Undefined where the view has no such chunk, and `lost` where its bytes are gone. */
export async function shardWithChunk(
  { catalog, objects, clock }: FindingChunks,
  view: View,
  hash: Hash,
): Promise<Uint8Array<ArrayBuffer> | 'lost' | undefined> {
  const xorb = await catalog.findChunk(view, hash)
  const file = await catalog.findFileFrom(view, hash)
  if (xorb === undefined && file === undefined) return undefined
  const ofFile = file === undefined ? [] : await xorbsOf(catalog, file)
  const there = await thatAreThere(objects, xorb === undefined ? ofFile : [xorb, ...ofFile])
  const tables = await Promise.all(there.map(({ key }) => tableUnlessLost(objects, key)))
  const whole = there.flatMap(({ hash }, index) => {
    const table = tables[index]
    return table === undefined ? [] : { hash, table }
  })
  if (whole.length === 0) return 'lost'
  const now = clock()
  return writeDedupShard(whole, {
    createdAt: now,
    expiresAt: now + validSeconds,
  })
}

/** In the order of the file: a client that asks for what comes behind the last one learns of more. */
async function xorbsOf(
  catalog: FindingChunks['catalog'],
  file: OwnedFile,
): Promise<readonly FoundXorb[]> {
  const { terms } = file
  const hashes = new Set<Hash>()
  const looked = Math.min(terms.count, maxTerms)
  for (let index = 0; index < looked && hashes.size < maxXorbs; index += 1) {
    hashes.add(terms.at(index).xorb)
  }
  const found = await catalog.xorbsOf(file, [...hashes])
  return Array.from(hashes, (hash) => found.get(hash)).filter((xorb) => xorb !== undefined)
}

/** Each once, and no more than an answer may hold; the first may be as long as it is. */
async function thatAreThere(
  objects: FindingChunks['objects'],
  xorbs: readonly FoundXorb[],
): Promise<readonly FoundXorb[]> {
  const distinct = [...new Map(xorbs.map((xorb) => [xorb.hash, xorb])).values()]
  const some = distinct.slice(0, maxXorbs)
  // At once: a store may take a fifth of a second for each.
  const sizes = await Promise.all(some.map(({ key }) => objects.sizeOf(key)))
  const there: FoundXorb[] = []
  let chunks = 0
  for (const xorb of some.filter((_, index) => sizes[index] !== undefined)) {
    if (there.length > 0 && chunks + xorb.chunks > maxChunks) break
    there.push(xorb)
    chunks += xorb.chunks
  }
  return there
}
