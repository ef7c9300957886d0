import { randomFillSync } from 'node:crypto'
import { type AnyId, idFromBytes, idLength } from '@latchkey/protocol'

export type RandomBytes = (length: number) => Buffer

/** Reads the system's randomness in large portions: one call costs as much as a hundred ids. */
export function pooledRandom(): RandomBytes {
  const pool = Buffer.allocUnsafe(8192)
  let used = pool.length
  return (length) => {
    if (length > pool.length) throw new RangeError(`${length} random bytes at once`)
    if (used + length > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = Buffer.from(pool.subarray(used, used + length))
    pool.fill(0, used, used + length)
    used += length
    return bytes
  }
}

/** How many ids are made at a time: fewer bytes than a portion of the pool. */
const idsAtATime = 64

/** Ids for a place that needs many of them: one costs a fraction of `newId`. */
export function idsFrom(randomBytes: RandomBytes): () => AnyId {
  let ids = ''
  let used = 0
  return () => {
    if (used === ids.length) {
      ids = idFromBytes(randomBytes(idsAtATime * idLength))
      used = 0
    }
    used += idLength
    return ids.slice(used - idLength, used) as AnyId
  }
}

/** An id of the kind that the place for it wants; requests and storage tokens have such ids too. */
export function newId<Id extends AnyId>(randomBytes: RandomBytes): Id {
  return idFromBytes(randomBytes(idLength))
}
