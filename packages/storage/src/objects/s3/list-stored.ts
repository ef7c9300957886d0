/** Meets every object in a bucket, and tables whose object is gone. Both lists come in the order of the keys. */

import type { ObjectKey, StoredObject } from '../object-store.ts'
import { keyOf, objectsPrefix, tablesPrefix } from './names.ts'
import type { S3Client } from './s3-client.ts'

export async function* listStored(client: S3Client): AsyncGenerator<StoredObject> {
  const tables = keysBelow(client, tablesPrefix)
  try {
    let table = await tables.next()
    for await (const object of keysBelow(client, objectsPrefix)) {
      for (; !table.done && table.value.key <= object.key; table = await tables.next()) {
        if (table.value.key < object.key) yield table.value
      }
      yield object
    }
    for (; !table.done; table = await tables.next()) yield table.value
  } finally {
    await tables.return()
  }
}

/** Strangers are passed over. */
async function* keysBelow(client: S3Client, prefix: string): AsyncGenerator<StoredObject, void> {
  let last: ObjectKey | undefined
  for await (const { key: name, bytes, changedAt } of client.list(prefix)) {
    const key = keyOf(name, prefix)
    if (key === undefined || key === last) continue
    last = key
    yield { key, bytes, changedAt }
  }
}
