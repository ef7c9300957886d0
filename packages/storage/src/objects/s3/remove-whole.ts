/** Removes an object with every version of it: where a bucket keeps versions, the bytes stay otherwise. */

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
