/** `GET /v1/chunks/default-merkledb/{hash}`: a xorb that the token may see and that has the chunk, so that clients need not send it. */

import type { Clock } from '@latchkey/protocol'
import { writeDedupShard } from '@latchkey/xet/format'
import type { Catalog } from '../catalog/catalog.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { Handle } from './asked.ts'
import { notHere } from './refusals.ts'

/** How long clients may rely on the answer; what is removed earlier changes the address they rely on it under. */
const validSeconds = 7 * 24 * 3600

export function findChunk(catalog: Catalog, objects: ObjectStore, clock: Clock): Handle {
  return async ({ view }, hash) => {
    const xorb = await catalog.findChunk(view, hash)
    if (xorb === undefined) return notHere('chunk', hash)
    // Whoever does not hear of it sends it again, and mends what was lost.
    if (!(await objects.has(xorb.digest)))
      return { ...notHere('chunk', hash), reason: 'object_lost' }
    const table = await objects.table(xorb.digest)
    const now = clock()
    const body = writeDedupShard([{ hash: xorb.hash, table }], {
      createdAt: now,
      expiresAt: now + validSeconds,
    })
    return { status: 200, headers: ['Content-Type', 'application/octet-stream'], body }
  }
}
