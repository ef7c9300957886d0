/** Removes an object with every version of it: where a bucket keeps versions, the bytes stay otherwise. */

import { eachOf } from '@latchkey/service/limits/each-of'
import type { S3Client } from './s3-client.ts'

export interface Removal {
  readonly client: S3Client
  /** Whether the bucket keeps versions, or has kept some. */
  readonly hasVersions: boolean
}

export async function removeWhole({ client, hasVersions }: Removal, name: string): Promise<void> {
  if (!hasVersions) return client.remove(name)
  for await (const { key, versionId } of client.listVersions(name)) {
    if (key === name) await client.remove(name, versionId)
  }
}

/** A store at a distance takes many requests at once as fast as one. */
const removalsAtOnce = 16

/** A thousand with one request, where no version has to be named. */
export async function removeAllWhole(removal: Removal, names: readonly string[]): Promise<void> {
  const { client, hasVersions } = removal
  if (!hasVersions && (await client.removeMany(names.map((key) => ({ key }))))) return
  await eachOf(names, removalsAtOnce, (name) => removeWhole(removal, name))
}
