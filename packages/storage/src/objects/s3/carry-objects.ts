/** Brings objects into a bucket from another store, some at a time. */

import {
  type Carriage,
  type CarriedObjects,
  NoSuchObject,
  type ObjectKey,
  type ObjectStore,
} from '../object-store.ts'
import { objectName, tableName } from './names.ts'
import type { S3Body, S3Client } from './s3-client.ts'

/** Each waits for the store most of its time. */
const atOnce = 16

interface Carrying {
  readonly client: S3Client
  /** It is closed at the end. */
  readonly source: ObjectStore
}

export async function carryObjects<Item extends { readonly key: ObjectKey }>(
  { client, source }: Carrying,
  items: Iterable<Item>,
  { onProgress }: Pick<Carriage, 'onProgress'>,
): Promise<CarriedObjects<Item>> {
  const missing: Item[] = []
  let [count, bytes] = [0, 0]
  // One that fails ends the iteration for the others, too.
  const rest = Iterator.from(items)
  const carrySome = async () => {
    for (const item of rest) {
      const carried = await carryOne({ client, source }, item.key)
      if (carried === undefined) {
        missing.push(item)
        continue
      }
      count += 1
      bytes += carried
      onProgress(count, bytes)
    }
  }
  try {
    const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, carrySome))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    return { count, bytes, missing }
  } finally {
    await source.close()
  }
}

/** How many bytes it has; undefined when it is not there: collection may have removed it while this runs. */
async function carryOne({ client, source }: Carrying, key: ObjectKey): Promise<number | undefined> {
  try {
    const table = await source.table(key)
    const { packedBytes } = table
    await putUnlessThere(client, objectName(key), {
      bytes: packedBytes,
      open: () => source.read(key, 0, packedBytes - 1),
    })
    await putUnlessThere(client, tableName(key), table.encoded())
    return packedBytes
  } catch (error) {
    if (error instanceof NoSuchObject) return undefined
    throw error
  }
}

/** A put that was cut off has left nothing, so what is there in full length is whole. */
async function putUnlessThere(client: S3Client, name: string, body: S3Body): Promise<void> {
  const length = body instanceof Uint8Array ? body.length : body.bytes
  const there = await client.head(name)
  if (there?.bytes === length) return
  await client.put(name, body, there === undefined ? { ifNoneMatch: '*' } : { ifMatch: there.etag })
}
