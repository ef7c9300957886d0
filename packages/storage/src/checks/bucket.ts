/** Whether the bucket of the embedded storage can keep objects: one is written, read and removed there. */

import { randomBytes } from 'node:crypto'
import { type Check, type Finding, goodFinding, wrongByError } from '@latchkey/service/checks'
import type { S3Place, StoreNeeds } from '../objects/object-store.ts'
import type { StorageInstallation } from './installation.ts'

export const bucket: Check<StorageInstallation> = {
  name: 'bucket',
  async run({ storage }) {
    const { objects: place, directDownloads } = storage ?? {}
    return place?.kind === 's3' ? [await findingOf(place, { directDownloads })] : []
  },
}

/** A person waits for the answer. */
const retrySeconds = 2

async function findingOf(place: S3Place, needs: StoreNeeds): Promise<Finding> {
  const { openS3Client } = await import('../objects/s3/open-client.ts')
  const { prepareBucket } = await import('../objects/s3/prepare-bucket.ts')
  const client = openS3Client(place, { retrySeconds })
  try {
    await prepareBucket(client, { place, needs, randomBytes })
    return goodFinding(
      `s3://${place.bucket}/${place.prefix} at ${place.endpoint} keeps objects, and honours conditions`,
    )
  } catch (error) {
    return wrongByError(error)
  } finally {
    await client.close()
  }
}
