/** Stores that speak S3 for a test file, and places in them. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pooledRandom } from '@latchkey/service/machine/random'
import type { S3Store } from '@latchkey/testing/s3/stores'
import { onTestFinished } from 'vitest'
import type {
  ObjectKey,
  ObjectStore,
  ObjectsOptions,
  S3Place,
} from '../../src/objects/object-store.ts'
import { openObjects } from '../../src/objects/open-objects.ts'
import { objectName, tableName } from '../../src/objects/s3/names.ts'
import { openS3Client } from '../../src/objects/s3/open-client.ts'
import type { S3Client } from '../../src/objects/s3/s3-client.ts'
import { s3Store } from '../../src/objects/s3/s3-store.ts'
import type { ContractStore } from './contract.ts'

/** A place of a test's own, where drafts have a folder that goes with the test. */
export function s3Place(store: S3Store): S3Place {
  const scratch = mkdtempSync(join(tmpdir(), 'latchkey-drafts-'))
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }))
  return { ...store.newPlace(), scratch }
}

export function openS3(place: S3Place, options: ObjectsOptions = {}): ObjectStore {
  const { randomBytes = pooledRandom(), guard = (body) => body, tableBytes } = options
  const objects = s3Store(place, { randomBytes, guard, tableBytes, openSource: openObjects })
  onTestFinished(() => objects.close())
  return objects
}

export function clientOf(place: S3Place): S3Client {
  const client = openS3Client(place)
  onTestFinished(() => client.close())
  return client
}

/** For the suite of all stores. */
export function s3ContractStore(
  store: S3Store,
  traits: Pick<ContractStore, 'manyObjects' | 'hasAtomicWrites'>,
): ContractStore {
  const place = s3Place(store)
  const client = clientOf(place)
  return {
    place,
    open: (options) => openS3(place, options),
    ...traits,
    manyReaders: 20,
    lengthOf: ({ packedBytes }) => packedBytes,
    spoil: (key, change) => spoil(client, key, change),
  }
}

/** As if both were one object: the bytes, then their table. */
async function spoil(
  client: S3Client,
  key: ObjectKey,
  change: (bytes: Buffer) => Buffer,
): Promise<void> {
  const packed = await buffer(client.get(objectName(key)))
  const table = await buffer(client.get(tableName(key)))
  const spoiled = change(Buffer.concat([packed, table]))
  await client.put(objectName(key), spoiled.subarray(0, packed.length))
  await client.put(tableName(key), spoiled.subarray(packed.length))
}
