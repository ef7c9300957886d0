/** Keeps the revocation entries of storages without a disk in their bucket. */

import { type EntryKeeper, entryKeeper } from '@latchkey/gate/hub-link'
import type { Clock } from '@latchkey/protocol'
import type { ObjectsPlace } from '../objects/object-store.ts'

export interface KeptRevocations extends EntryKeeper {
  close(): Promise<void>
}

const name = 'revocations.json'

/** Undefined for a storage with a disk of its own: what its gate has heard lives as long as its process. */
export async function openKeptRevocations(
  place: ObjectsPlace | undefined,
  clock: Clock,
): Promise<KeptRevocations | undefined> {
  if (place?.kind !== 's3') return undefined
  const { openS3Client } = await import('../objects/s3/open-client.ts')
  const { sharedText } = await import('../objects/s3/shared-text.ts')
  const client = openS3Client(place)
  return { ...entryKeeper(sharedText(client, name), clock), close: client.close }
}
