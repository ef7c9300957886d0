/** Brings objects into a bucket from another store. */

import { carrySome } from '../carry-some.ts'
import type { Carriage, CarriedObjects, ObjectKey, ObjectStore } from '../object-store.ts'
import { objectName, tableName } from './names.ts'
import type { S3Body, S3Client } from './s3-client.ts'

interface Carrying {
  readonly client: S3Client
  /** It is closed at the end. */
  readonly source: ObjectStore
}

export async function carryObjects<Item extends { readonly key: ObjectKey }>(
  carrying: Carrying,
  items: Iterable<Item>,
  carriage: Pick<Carriage, 'onProgress'>,
): Promise<CarriedObjects<Item>> {
  try {
    return await carrySome(items, (key) => carryOne(carrying, key), carriage)
  } finally {
    await carrying.source.close()
  }
}

async function carryOne({ client, source }: Carrying, key: ObjectKey): Promise<number> {
  const table = await source.table(key)
  const { packedBytes } = table
  await putUnlessThere(client, objectName(key), {
    bytes: packedBytes,
    open: () => source.read(key, 0, packedBytes - 1),
  })
  await putUnlessThere(client, tableName(key), table.encoded())
  return packedBytes
}

/** A put that was cut off has left nothing, so what is there in full length is whole. */
async function putUnlessThere(client: S3Client, name: string, body: S3Body): Promise<void> {
  const length = body instanceof Uint8Array ? body.length : body.bytes
  const there = await client.head(name)
  if (there?.bytes === length) return
  await client.put(name, body, there === undefined ? { ifNoneMatch: '*' } : { ifMatch: there.etag })
}
