/** Makes an object of a draft, by two requests at once: its packed bytes and its chunk table never replace anything. */

import type { Buffers } from '../disk/buffers.ts'
import { readBytes } from '../disk/read-bytes.ts'
import { readTable } from '../disk/tables.ts'
import type { ObjectKey } from '../object-store.ts'
import { objectName, tableName } from './names.ts'
import type { S3Body, S3Client } from './s3-client.ts'

interface Putting {
  readonly client: S3Client
  readonly memory: Buffers
}

const once = { ifNoneMatch: '*' } as const

/** When one of the two fails, the other one may be there: the catalogue has noted the key, and collection finds it. */
export async function putObject(
  { client, memory }: Putting,
  key: ObjectKey,
  draft: string,
): Promise<void> {
  const table = await readTable(draft)
  const packed: S3Body = {
    bytes: table.packedBytes,
    open: () => readBytes({ file: draft, start: 0, end: table.packedBytes - 1 }, memory),
  }
  const puts = [
    client.put(objectName(key), packed, once),
    client.put(tableName(key), table.encoded(), once),
  ]
  // Nothing of the draft is read any more when this comes back.
  for (const outcome of await Promise.allSettled(puts)) {
    if (outcome.status === 'rejected') throw outcome.reason
    if (outcome.value === 'exists') throw new Error('the store has an object of this key already')
  }
}
